/** Texts that an agent file wants in its prompt (authority.md 10). */
@NullMarked
package dev.sallyport.skill;

import org.jspecify.annotations.NullMarked;
