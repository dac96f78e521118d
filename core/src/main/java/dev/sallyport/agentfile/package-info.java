/** Agent files, the registry over them, and dispatch to one definition (authority.md 1 to 4). */
@NullMarked
package dev.sallyport.agentfile;

import org.jspecify.annotations.NullMarked;
