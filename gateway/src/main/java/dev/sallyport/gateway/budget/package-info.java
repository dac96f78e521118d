/** What a whole tree of children may use up, counted in the database by what the gateway itself saw. */
@NullMarked
package dev.sallyport.gateway.budget;

import org.jspecify.annotations.NullMarked;
