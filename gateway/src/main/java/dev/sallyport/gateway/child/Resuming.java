package dev.sallyport.gateway.child;

import dev.sallyport.containment.Harness;
import dev.sallyport.gateway.error.GatewayException.ChildNotEnded;
import dev.sallyport.gateway.error.GatewayException.ChildNotFound;
import dev.sallyport.gateway.error.GatewayException.ChildResumed;
import dev.sallyport.gateway.error.GatewayException.InvalidRequest;
import dev.sallyport.gateway.error.GatewayException.NotResumable;
import dev.sallyport.gateway.error.GatewayException.TranscriptNotKept;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.databind.json.JsonMapper;

/**
 * What is left of a child that another can go on with: what it was asked for, and what was said. Both are the gateway's own
 * copy. Of what the child was allowed nothing is taken over: that is resolved anew.
 */
final class Resuming {

    /** Between its end for everybody and the last of the cleaning up. */
    private static final Duration CLEANING_UP = Duration.ofSeconds(2);

    private final Children children;
    private final Transcript transcript;
    private final Lives lives;
    private final JsonMapper json;

    Resuming(Children children, Transcript transcript, Lives lives, JsonMapper json) {
        this.children = children;
        this.transcript = transcript;
        this.lives = lives;
        this.json = json;
    }

    /**
     * A child that a new one goes on with.
     *
     * @param history its conversation as JSON
     */
    record Over(Child child, String history) {

        Children.Resumed resumed() {
            return new Children.Resumed(child.id(), history);
        }
    }

    /** What the new child is asked for: the same, but for the task. */
    SpawnRequest request(Child earlier, ResumeRequest wish) {
        if (earlier.endedAt() == null) {
            throw new ChildNotEnded(earlier.id(), earlier.state().wire());
        }
        if (earlier.terms().harness() == Harness.COMMAND) {
            throw new NotResumable(
                    earlier.id(), "ran a program, which cannot be told what was said before", "start it again");
        }
        if (Boolean.FALSE.equals(earlier.terms().transcript())) {
            throw new TranscriptNotKept(earlier.id());
        }
        if (wish.prompt() == null || wish.prompt().isBlank()) {
            throw new InvalidRequest("prompt (expected: what to do next)");
        }
        SpawnRequest asked = children.request(earlier.id())
                .map(request -> json.readValue(request, SpawnRequest.class))
                .orElseThrow(() -> new NotResumable(
                        earlier.id(), "is from before requests were kept", "start a new child in its place"));
        SpawnRequest request = asked.resumed(
                earlier.session().value(),
                asked.agent() == null ? null : earlier.terms().agent(),
                wish.prompt(),
                wish.description());
        request.requireSomethingToDo();
        return request;
    }

    /**
     * What it leaves, once nothing of it runs. Whether somebody else was faster is asked again when the new child is taken
     * in.
     */
    Over over(Child earlier) throws InterruptedException {
        Child child = settled(earlier);
        if (child.resumedBy() != null) {
            throw new ChildResumed(child.id(), child.resumedBy());
        }
        if (child.startedAt() == null) {
            throw new NotResumable(child.id(), "never got its task", "start it again");
        }
        String before = children.history(child.id()).orElse("[]");
        return new Over(child, json.writeValueAsString(transcript.history(child, before)));
    }

    private Child settled(Child earlier) throws InterruptedException {
        long until = System.nanoTime() + CLEANING_UP.toNanos();
        while (true) {
            Optional<LiveChild> live = lives.find(earlier.id());
            long seen = live.map(one -> one.news().version()).orElse(0L);
            Child child = children.find(earlier.id()).orElseThrow(() -> new ChildNotFound(earlier.id()));
            if (child.settled()) {
                return child;
            }
            Duration left = Duration.ofNanos(until - System.nanoTime());
            if (left.isNegative() || live.isEmpty()) {
                throw NotResumable.notOver(earlier.id());
            }
            live.get().news().await(seen, left);
        }
    }
}
