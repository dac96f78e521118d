package dev.sallyport.gateway.sandbox;

import dev.sallyport.identity.ChildId;

/** The volume that holds the private clone of one child. It outlives the child's sandbox, so that work can be salvaged. */
public record VolumeId(ChildId child) {

    @Override
    public String toString() {
        return child.toString();
    }
}
