@NullMarked
package dev.sallyport.runner.extension;

import org.jspecify.annotations.NullMarked;
