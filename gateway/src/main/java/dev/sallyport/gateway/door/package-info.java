/** The one way out of a sandbox: a server of its own with exactly the routes of a child, apart from Spring's (S10). */
@NullMarked
package dev.sallyport.gateway.door;

import org.jspecify.annotations.NullMarked;
