/** Who chooses a child's model: agent file and caller, or a service of the operator that is told no more than it needs (P12). */
@NullMarked
package dev.sallyport.gateway.routing;

import org.jspecify.annotations.NullMarked;
