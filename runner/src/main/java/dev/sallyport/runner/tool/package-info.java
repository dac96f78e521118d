@NullMarked
package dev.sallyport.runner.tool;

import org.jspecify.annotations.NullMarked;
