/** All that one agent may do, and why. */
@NullMarked
package dev.sallyport.authority;

import org.jspecify.annotations.NullMarked;
