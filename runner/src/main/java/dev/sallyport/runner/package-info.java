@NullMarked
package dev.sallyport.runner;

import org.jspecify.annotations.NullMarked;
