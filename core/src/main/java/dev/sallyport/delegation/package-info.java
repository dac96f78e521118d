/** Agents that hand work to agents: who may start, see and stop whom, and when (authority.md 11). */
@NullMarked
package dev.sallyport.delegation;

import org.jspecify.annotations.NullMarked;
