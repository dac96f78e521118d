/** What the caller asked for, and who decides each field (authority.md 5). */
@NullMarked
package dev.sallyport.invocation;

import org.jspecify.annotations.NullMarked;
