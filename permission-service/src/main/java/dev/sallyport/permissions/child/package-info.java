/** The children as their gateway registers them. */
@NullMarked
package dev.sallyport.permissions.child;

import org.jspecify.annotations.NullMarked;
