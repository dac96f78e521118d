package dev.sallyport.invocation;

import dev.sallyport.json.StrictJson;
import dev.sallyport.permission.HomeDirectory;
import dev.sallyport.permission.PermissionConfig;
import dev.sallyport.permission.Policy;
import dev.sallyport.permission.Rule;
import dev.sallyport.text.VisibleText;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A {@code settings.json} of any bytes, and the same as a policy of permissions. */
public final class SettingsFuzz {

    private SettingsFuzz() {}

    /** Called by Jazzer and by {@link dev.sallyport.fuzz.FuzzTest}. */
    public static void fuzzerTestOneInput(byte[] input) {
        String text = new String(input, StandardCharsets.UTF_8);
        for (SettingsFile.Problem problem :
                SettingsFile.parse("/p/settings.json", text).problems()) {
            if (!VisibleText.line(problem.toString()).equals(problem.toString())) {
                throw new AssertionError("a problem that hides something: " + problem);
            }
        }
        Object value;
        try {
            value = StrictJson.parse(text);
        } catch (IllegalArgumentException expected) {
            return;
        }
        PermissionConfig config = PermissionConfig.parse(value).config();
        if (!PermissionConfig.fromOrderedJson(config.toOrderedJson()).equals(config)) {
            throw new AssertionError("a policy that is not what was stored: " + config);
        }
        Policy.rules(List.of(new Policy.Scope(Rule.Origin.PROJECT, config)), HomeDirectory.NONE)
                .decisive("bash", text);
    }
}
