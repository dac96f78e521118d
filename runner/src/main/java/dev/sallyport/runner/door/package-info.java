@NullMarked
package dev.sallyport.runner.door;

import org.jspecify.annotations.NullMarked;
