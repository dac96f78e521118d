package dev.sallyport.toolscope;

import java.util.List;

/** The tools of a child that may start others, beside its own (authority.md 7.4). */
public final class DelegationTools {

    public static final String SPAWN = "Agent";
    public static final String RESULT = "get_subagent_result";
    public static final String STEER = "steer_subagent";
    public static final String LIST = "list_subagents";
    public static final String CANCEL = "cancel_subagent";

    public static final List<String> NAMES = List.of(SPAWN, RESULT, STEER, LIST, CANCEL);

    private DelegationTools() {}
}
