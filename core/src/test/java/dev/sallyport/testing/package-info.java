@NullMarked
package dev.sallyport.testing;

import org.jspecify.annotations.NullMarked;
