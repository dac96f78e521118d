/** What a child's container may see, reach and use. */
@NullMarked
package dev.sallyport.containment;

import org.jspecify.annotations.NullMarked;
