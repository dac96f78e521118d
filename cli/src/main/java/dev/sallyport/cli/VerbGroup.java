package dev.sallyport.cli;

import picocli.CommandLine.Option;

/** A word that only its own verbs do something for: it answers {@code --help}, as its messages say. */
abstract class VerbGroup {

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Shows this help.")
    @SuppressWarnings("UnusedVariable") // picocli looks at the annotation
    private boolean help;
}
