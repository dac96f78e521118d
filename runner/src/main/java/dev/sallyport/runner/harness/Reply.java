package dev.sallyport.runner.harness;

import java.util.List;

/** What the model said in one turn. */
record Reply(String text, List<ToolRequest> requests, Stop stop) {

    enum Stop {
        FINISHED,
        /** At the most tokens of one answer, so that a request may be half of what was meant. */
        CUT_OFF,
        DECLINED
    }

    Reply {
        requests = List.copyOf(requests);
    }
}
