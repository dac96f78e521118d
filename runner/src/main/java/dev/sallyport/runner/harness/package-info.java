@NullMarked
package dev.sallyport.runner.harness;

import org.jspecify.annotations.NullMarked;
