/** Inputs that nobody wrote: see {@code core/fuzz}. */
@NullMarked
package dev.sallyport.fuzz;

import org.jspecify.annotations.NullMarked;
