@NullMarked
package dev.sallyport.gateway;

import org.jspecify.annotations.NullMarked;
