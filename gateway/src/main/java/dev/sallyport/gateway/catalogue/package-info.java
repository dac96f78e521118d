/** Which agents there are, as the directories say at the moment of asking. */
@NullMarked
package dev.sallyport.gateway.catalogue;

import org.jspecify.annotations.NullMarked;
