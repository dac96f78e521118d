package dev.sallyport.cli;

/** What the process ends with where the child's own code does not say it (P4). */
final class ExitCode {

    static final int OK = 0;

    /** The child failed and has no code of its own that says so. */
    static final int CHILD_FAILED = 1;

    static final int REFUSED = 120;
    static final int TIMED_OUT = 124;

    /** Sallyport could not: not running, a bad command line, an unknown child, a lost container. */
    static final int FAILED = 125;

    static final int CANCELLED = 130;

    private ExitCode() {}
}
