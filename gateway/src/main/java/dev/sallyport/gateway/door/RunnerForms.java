package dev.sallyport.gateway.door;

import static dev.sallyport.gateway.door.Form.COUNT;
import static dev.sallyport.gateway.door.Form.OBJECT;
import static dev.sallyport.gateway.door.Form.POSITIVE;
import static dev.sallyport.gateway.door.Form.TEXT;
import static dev.sallyport.gateway.door.Form.list;
import static dev.sallyport.gateway.door.Form.nullable;
import static dev.sallyport.gateway.door.Form.object;
import static dev.sallyport.gateway.door.Form.oneOf;

/** What the runner may send to the routes of the door, field by field. */
final class RunnerForms {

    static final Form EVENT = object().must("n", POSITIVE).must("type", TEXT).must("data", OBJECT);

    private static final Form TOOL =
            Form.of("a tool name", node -> node.isString() && node.stringValue().matches("[A-Za-z0-9._:/-]{1,128}"));

    static final Form AUTHORIZE = object().must("callId", TEXT)
            .must("tool", TOOL)
            .must("arguments", OBJECT)
            .must(
                    "directory",
                    Form.of(
                            "an absolute path",
                            node -> node.isString() && node.stringValue().matches("/[^\0]{0,4095}")));

    /** As many as fit into one event that is kept whole (S4). */
    private static final int MOST_TOOLS = 300;

    private static final Form EXTENSION = Form.of(
            "an extension's name", node -> node.isString() && node.stringValue().matches("[^\\p{Cntrl}/]{1,128}"));

    private static final Form WHOLE_NUMBER =
            Form.of("a whole number", node -> node.canConvertToInt() && node.isIntegralNumber());

    private static final Form STARTED = object().must("nonce", TEXT)
            .must("tools", list(TOOL))
            .must("extensions", list(EXTENSION))
            .must("model", nullable(TEXT))
            .must("pid1", TEXT)
            .must("uid", COUNT);
    private static final Form EXTENSION_TOOLS =
            object().must("extension", EXTENSION).must("tools", list(TOOL, MOST_TOOLS));
    private static final Form WORKSPACE_READY = object().must("head", nullable(TEXT));
    private static final Form TURN = object().must("n", COUNT);
    private static final Form ASSISTANT = object().must("text", TEXT);
    // The tool as the model named it, which may be no name of a tool at all.
    private static final Form TOOL_CALL =
            object().must("callId", TEXT).must("tool", TEXT).must("arguments", OBJECT);
    private static final Form TOOL_RESULT = object().must("callId", TEXT)
            .must("tool", TEXT)
            .must("outcome", oneOf("ok", "error", "refused", "timed-out"))
            .must("output", TEXT)
            .may("exitCode", nullable(WHOLE_NUMBER));
    private static final Form OUTPUT =
            object().must("stream", oneOf("stdout", "stderr")).must("text", TEXT);
    private static final Form RESULT = object().must("text", TEXT);
    private static final Form ERROR = object().must("code", TEXT).must("message", TEXT);

    static final Form MEMORY =
            object().must("files", list(object().must("path", TEXT).must("content", TEXT)));

    private RunnerForms() {}

    static Form of(Report.Type type) {
        return switch (type) {
            case STARTED -> STARTED;
            case EXTENSION_TOOLS -> EXTENSION_TOOLS;
            case WORKSPACE_READY -> WORKSPACE_READY;
            case TURN -> TURN;
            case ASSISTANT -> ASSISTANT;
            case TOOL_CALL -> TOOL_CALL;
            case TOOL_RESULT -> TOOL_RESULT;
            case OUTPUT -> OUTPUT;
            case RESULT -> RESULT;
            case ERROR -> ERROR;
        };
    }
}
