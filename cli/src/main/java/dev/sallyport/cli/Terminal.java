package dev.sallyport.cli;

import org.jspecify.annotations.Nullable;

/** The person at the other end, if there is one. */
interface Terminal {

    /** Whether a person types and reads here: standard input and standard output are both a terminal. */
    boolean interactive();

    /** Whether standard output is a terminal; true where that cannot be found out. */
    boolean outputIsTerminal();

    /**
     * Reads one line, dropping what was typed before the prompt stood there: nobody answers what they have not seen.
     *
     * @return null at the end of input
     */
    @Nullable String ask(String prompt);

    /** Reads one line without showing it; null at the end of input. */
    char @Nullable [] askSecret(String prompt);

    /**
     * Asks on the controlling terminal, whatever standard input is.
     *
     * @return false also where there is no controlling terminal
     */
    boolean confirm(String question);
}
