/** What was decided, asked and answered, by whom: written once, never changed. */
@NullMarked
package dev.sallyport.permissions.review;

import org.jspecify.annotations.NullMarked;
