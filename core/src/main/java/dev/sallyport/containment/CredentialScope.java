package dev.sallyport.containment;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.regex.Pattern;

/** The named credentials that the door may add to a child's requests. Names only: no value ever comes near an authority. */
public record CredentialScope(List<String> names) {

    public static final CredentialScope NONE = new CredentialScope(List.of());

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

    public CredentialScope {
        names = names.stream().sorted().distinct().toList();
        for (String name : names) {
            if (!NAME.matcher(name).matches()) {
                throw new IllegalArgumentException(
                        "credential: `%s` (expected: 1 to 64 of A-Z a-z 0-9 . _ -)".formatted(name));
            }
        }
    }

    public static CredentialScope of(Collection<String> names) {
        return new CredentialScope(List.copyOf(names));
    }

    public boolean atMost(CredentialScope other) {
        return new HashSet<>(other.names).containsAll(names);
    }

    public CredentialScope meet(CredentialScope other) {
        return of(names.stream().filter(other.names::contains).toList());
    }
}
