/** Text that others wrote, made safe to look at. */
@NullMarked
package dev.sallyport.text;

import org.jspecify.annotations.NullMarked;
