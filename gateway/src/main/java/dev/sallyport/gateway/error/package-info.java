/** What can go wrong from the point of view of a caller of the gateway. */
@NullMarked
package dev.sallyport.gateway.error;

import org.jspecify.annotations.NullMarked;
