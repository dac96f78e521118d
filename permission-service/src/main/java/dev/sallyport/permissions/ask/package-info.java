/** Questions to people: opened once, answered once, ended by the clock or by their child. */
@NullMarked
package dev.sallyport.permissions.ask;

import org.jspecify.annotations.NullMarked;
