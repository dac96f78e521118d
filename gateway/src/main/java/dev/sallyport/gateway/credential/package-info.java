/** Real keys, kept encrypted; written by people, read by the door, shown to nobody. */
@NullMarked
package dev.sallyport.gateway.credential;

import org.jspecify.annotations.NullMarked;
