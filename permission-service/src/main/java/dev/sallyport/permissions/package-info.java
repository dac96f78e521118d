@NullMarked
package dev.sallyport.permissions;

import org.jspecify.annotations.NullMarked;
