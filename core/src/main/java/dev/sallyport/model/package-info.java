/** Which model a name means, which models are in use, and who chooses one (authority.md 5.5 to 5.7). */
@NullMarked
package dev.sallyport.model;

import org.jspecify.annotations.NullMarked;
