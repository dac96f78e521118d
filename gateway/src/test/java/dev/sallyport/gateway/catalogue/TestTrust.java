package dev.sallyport.gateway.catalogue;

import java.io.IOException;
import java.nio.file.Path;

/** A person who has looked at a project. */
public final class TestTrust {

    private TestTrust() {}

    public static void trust(Trusts trusts, Catalogue catalogue, Trusts.User user, Path project) throws IOException {
        Path directory = project.toRealPath();
        trusts.add(user, directory, catalogue.look(user, directory).whole());
    }

    public static boolean revoke(Trusts trusts, Trusts.User user, Path project) throws IOException {
        return trusts.end(user, project.toRealPath().toString());
    }
}
