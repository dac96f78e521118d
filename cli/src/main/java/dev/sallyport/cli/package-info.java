@NullMarked
package dev.sallyport.cli;

import org.jspecify.annotations.NullMarked;
