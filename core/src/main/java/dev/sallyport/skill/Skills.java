package dev.sallyport.skill;

/** Where skills come from. */
@FunctionalInterface
public interface Skills {

    /** No skill is anywhere. */
    Skills NONE = Skill::missing;

    /** What the name leads to; never fails. */
    Skill find(String name);
}
