package dev.sallyport.gateway.sandbox;

/** A directory of the host that may not be mounted, why, and what to do instead. */
public final class BindRefusal extends Exception {

    private static final long serialVersionUID = 1L;

    private static final String CLONE = "use workspace `clone`";

    /** What was wrong; the name is for machines. */
    public enum Reason {
        NOT_A_DIRECTORY("name a directory"),
        OUTSIDE_ROOTS("name a directory below a configured workspace root"),
        RESERVED("name another directory, one that does not hold Sallyport's own data"),
        /** A running child decides what lies there (S5). */
        CHILD_WRITABLE(CLONE + ", or wait until the child that can write there has ended"),
        SPECIAL_FILE("remove it, or " + CLONE),
        MOUNT_POINT("unmount it, or " + CLONE),
        TOO_MANY_FILES(CLONE),
        UNREADABLE("make it readable for the gateway, or " + CLONE),
        ROOT_OWNED("give the directory to the user whose work it is, or " + CLONE),
        USER_NAMESPACE(CLONE);

        private final String remedy;

        Reason(String remedy) {
            this.remedy = remedy;
        }
    }

    private final Reason reason;

    BindRefusal(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }

    public String remedy() {
        return reason.remedy;
    }
}
