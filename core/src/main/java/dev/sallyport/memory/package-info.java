/** What an agent remembers from one run to the next (authority.md 9). */
@NullMarked
package dev.sallyport.memory;

import org.jspecify.annotations.NullMarked;
