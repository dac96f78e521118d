/** What is said of a run when it is over (authority.md 11). */
@NullMarked
package dev.sallyport.report;

import org.jspecify.annotations.NullMarked;
