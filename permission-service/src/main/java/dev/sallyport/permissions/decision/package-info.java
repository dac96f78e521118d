/** What policy says to one request of a child. */
@NullMarked
package dev.sallyport.permissions.decision;

import org.jspecify.annotations.NullMarked;
