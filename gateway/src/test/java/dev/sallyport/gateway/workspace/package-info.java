@NullMarked
package dev.sallyport.gateway.workspace;

import org.jspecify.annotations.NullMarked;
