package dev.sallyport.skill;

import java.util.ArrayList;
import java.util.List;

/** The skills that an agent file names, as far as a prompt has room for them. */
public final class Preloaded {

    /** Names beyond these are not looked for. */
    public static final int MAX_SKILLS = 32;

    /** Characters of all skills together; the one that would go beyond is left out whole. */
    public static final int MAX_CHARACTERS = 1 << 18;

    private Preloaded() {}

    /** One result for each name, in order, duplicates kept. */
    public static List<Skill> of(List<String> names, Skills skills) {
        List<Skill> preloaded = new ArrayList<>();
        int characters = 0;
        for (String name : names) {
            if (preloaded.size() == MAX_SKILLS) {
                preloaded.add(Skill.missing(name, "and all after it: more than %d skills".formatted(MAX_SKILLS)));
                return preloaded;
            }
            Skill skill = skills.find(name);
            if (characters + skill.content().length() > MAX_CHARACTERS) {
                skill = Skill.missing(name, "left out, more than %d characters of skills".formatted(MAX_CHARACTERS));
            }
            characters += skill.content().length();
            preloaded.add(skill);
        }
        return preloaded;
    }
}
