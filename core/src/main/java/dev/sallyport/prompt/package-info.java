/** System prompts (authority.md 6). */
@NullMarked
package dev.sallyport.prompt;

import org.jspecify.annotations.NullMarked;
