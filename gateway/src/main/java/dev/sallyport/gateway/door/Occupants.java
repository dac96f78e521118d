package dev.sallyport.gateway.door;

import dev.sallyport.identity.ChildId;
import java.util.Optional;

/** The gateway's record of its children, as the door sees it. Asked at every request, by many threads at once. */
public interface Occupants {

    /** The child, if it is live in exactly this incarnation; empty means that its door serves nothing any more. */
    Optional<Occupant> live(ChildId child, int incarnation);
}
