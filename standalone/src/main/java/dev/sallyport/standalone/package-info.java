@NullMarked
package dev.sallyport.standalone;

import org.jspecify.annotations.NullMarked;
