@NullMarked
package dev.sallyport.identity;

import org.jspecify.annotations.NullMarked;
