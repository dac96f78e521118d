package dev.sallyport.runner.harness;

import dev.sallyport.runner.door.Answer;
import dev.sallyport.runner.door.Door;
import dev.sallyport.runner.door.DoorLostException;
import dev.sallyport.runner.door.Event;
import dev.sallyport.runner.door.Outbox;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;

/** Calls the model at the door, again after failures that pass, and never silently so (P36). */
final class ModelCalls {

    private static final int ATTEMPTS = 6;

    private final Door door;
    private final Outbox outbox;
    private final Duration firstPause;

    /** @param firstPause doubled after each failure in a row, unless the provider says how long to wait */
    ModelCalls(Door door, Outbox outbox, Duration firstPause) {
        this.door = door;
        this.outbox = outbox;
        this.firstPause = firstPause;
    }

    /** @param request made anew for each attempt, with the tools that are in scope then */
    JsonNode call(String path, Supplier<byte[]> request) throws ModelException, IOException, InterruptedException {
        Duration pause = firstPause;
        for (int attempt = 1; ; attempt++) {
            String failure;
            Duration wait = pause;
            try {
                Answer answer = door.model(path, request.get());
                if (answer.ok()) {
                    return answer.body();
                }
                failure = answer.detail();
                if (!passes(answer) || attempt == ATTEMPTS) {
                    throw new ModelException(answer.code().isEmpty() ? "model-error" : answer.code(), failure);
                }
                wait = answer.retryAfter().orElse(pause);
            } catch (DoorLostException e) {
                throw e;
            } catch (IOException e) {
                failure = String.valueOf(e.getMessage());
                if (attempt == ATTEMPTS) {
                    throw new ModelException("model-error", failure);
                }
            }
            outbox.emit(Event.output(
                    "stderr",
                    "[model call failed: %s; attempt %d of %d follows]\n".formatted(failure, attempt + 1, ATTEMPTS)));
            Thread.sleep(wait);
            pause = pause.multipliedBy(2);
        }
    }

    private static boolean passes(Answer answer) {
        return switch (answer.code()) {
            // A scope that the gateway has just narrowed reaches us a moment later.
            case "tool-out-of-scope" -> true;
            // Until a person changes something, these stay as they are, whatever their status.
            case "credential-missing",
                    "provider-refused-credential",
                    "provider-redirected",
                    "provider-answer-refused" -> false;
            default -> answer.temporary();
        };
    }
}
