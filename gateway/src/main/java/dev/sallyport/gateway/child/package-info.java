/** The life of a child: from a request, through its sandbox and its door, to an end with a reason. */
@NullMarked
package dev.sallyport.gateway.child;

import org.jspecify.annotations.NullMarked;
