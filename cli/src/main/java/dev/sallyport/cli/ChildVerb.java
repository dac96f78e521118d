package dev.sallyport.cli;

import dev.sallyport.identity.ChildId;
import picocli.CommandLine.Parameters;

/** A verb about one child. */
abstract class ChildVerb extends Verb {

    @Parameters(index = "0", paramLabel = "CHILD", description = "The child's id.")
    @SuppressWarnings("NullAway.Init") // picocli sets it or refuses the command line
    private ChildId child;

    ChildVerb(Environment environment) {
        super(environment);
    }

    ChildId child() {
        return child;
    }

    /** A path below the child. */
    String path(String below) {
        return Api.path("/v1/children/{}", child) + below;
    }
}
