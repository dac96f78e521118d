package dev.sallyport.cli;

/** Text that a child made, as it is or made visible. */
record Raw(boolean asItIs, Output output) {

    static final String DESCRIPTION =
            "Text as it is, control characters included; only where standard output is not a terminal.";

    /** @throws Failure if a terminal would get it as it is (S31) */
    static Raw of(boolean asked, Terminal terminal, Output output) {
        if (asked && terminal.outputIsTerminal()) {
            throw Failure.of("raw-to-terminal", "--raw (expected: standard output is not a terminal)");
        }
        return new Raw(asked, output);
    }

    /** A part of a text that goes on. */
    void part(String text) {
        if (asItIs) {
            output.raw(text);
        } else {
            output.part(text);
        }
    }

    /** A whole text, ended by a line feed unless it is wanted as it is. */
    void whole(String text) {
        if (asItIs) {
            output.raw(text);
        } else {
            output.text(text);
        }
    }
}
