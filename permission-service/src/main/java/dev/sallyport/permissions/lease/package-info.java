/** Who drains which session's inbox, and until when (S24). */
@NullMarked
package dev.sallyport.permissions.lease;

import org.jspecify.annotations.NullMarked;
