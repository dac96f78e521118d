/** The gateway's side of the permission-service. */
@NullMarked
package dev.sallyport.gateway.permission;

import org.jspecify.annotations.NullMarked;
