/** Which tools a child may use (authority.md 7). */
@NullMarked
package dev.sallyport.toolscope;

import org.jspecify.annotations.NullMarked;
