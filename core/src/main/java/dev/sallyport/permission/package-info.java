/** Rules: allow, ask or deny by surface and pattern (permission.md 1). */
@NullMarked
package dev.sallyport.permission;

import org.jspecify.annotations.NullMarked;
