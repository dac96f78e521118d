/** Questions to a person: what they are bound to, how they end, who settled them. */
@NullMarked
package dev.sallyport.ask;

import org.jspecify.annotations.NullMarked;
