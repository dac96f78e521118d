/** Sandboxes as containers of a Docker engine. */
@NullMarked
package dev.sallyport.gateway.sandbox.docker;

import org.jspecify.annotations.NullMarked;
