/** What lies in a project for agents, and one digest over it (P6). */
@NullMarked
package dev.sallyport.project;

import org.jspecify.annotations.NullMarked;
