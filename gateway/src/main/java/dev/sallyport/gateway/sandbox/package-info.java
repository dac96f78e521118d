/** Where a child runs: what a driver of one kind of infrastructure promises, and which directories it may be given. */
@NullMarked
package dev.sallyport.gateway.sandbox;

import org.jspecify.annotations.NullMarked;
