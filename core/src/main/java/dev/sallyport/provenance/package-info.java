/** Where a value was written, and how firmly it is kept. */
@NullMarked
package dev.sallyport.provenance;

import org.jspecify.annotations.NullMarked;
