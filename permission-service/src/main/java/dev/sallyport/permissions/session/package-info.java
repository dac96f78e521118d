/** Whose children these are, and who may answer for them. */
@NullMarked
package dev.sallyport.permissions.session;

import org.jspecify.annotations.NullMarked;
