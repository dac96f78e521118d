package dev.sallyport.gateway.door;

import dev.sallyport.identity.CallId;
import tools.jackson.databind.node.ObjectNode;

/**
 * One tool call that a child wants to make.
 *
 * @param directory as the child claims it, absolute
 */
public record ToolCall(CallId callId, String tool, ObjectNode arguments, String directory) {}
