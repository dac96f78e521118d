/** What agents remember from one run to the next (P10). A hostile child may have written every word of it. */
@NullMarked
package dev.sallyport.gateway.memory;

import org.jspecify.annotations.NullMarked;
