/** Shell commands as far as policy looks at them (permission.md 1.9, 2). */
@NullMarked
package dev.sallyport.bash;

import org.jspecify.annotations.NullMarked;
