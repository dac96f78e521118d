@NullMarked
package dev.sallyport.bench;

import org.jspecify.annotations.NullMarked;
