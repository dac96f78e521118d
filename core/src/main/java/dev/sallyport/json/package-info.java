/** JSON whose bytes mean one thing only. */
@NullMarked
package dev.sallyport.json;

import org.jspecify.annotations.NullMarked;
