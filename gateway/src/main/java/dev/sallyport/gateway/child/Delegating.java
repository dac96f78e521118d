package dev.sallyport.gateway.child;

import dev.sallyport.gateway.door.Delegates;
import dev.sallyport.gateway.door.DoorProblem;
import dev.sallyport.gateway.door.Verdict;
import dev.sallyport.gateway.permission.PermissionService.Subject;
import dev.sallyport.identity.CallId;
import dev.sallyport.identity.ChildId;
import dev.sallyport.service.ProblemException;
import dev.sallyport.toolscope.DelegationTools;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Children as parents: what callers may do, for a child and its own children only. */
final class Delegating {

    private final Spawning spawning;
    private final Inspection inspection;
    private final Timeline timeline;
    private final JsonMapper json;

    Delegating(Spawning spawning, Inspection inspection, Timeline timeline, JsonMapper json) {
        this.spawning = spawning;
        this.inspection = inspection;
        this.timeline = timeline;
        this.json = json;
    }

    /** @throws DoorProblem if the child may start nobody: then there is nobody to look after either */
    Delegates of(LiveChild live, Authorizer authorizer, Reports reports) {
        if (!live.child().terms().delegation().rights().mayDelegate()) {
            throw new DoorProblem(403, "delegation-not-allowed", "this child may not start others");
        }
        return new Own(live, authorizer, reports);
    }

    private final class Own implements Delegates {

        private final LiveChild live;
        private final Authorizer authorizer;
        private final Reports reports;

        private Own(LiveChild live, Authorizer authorizer, Reports reports) {
            this.live = live;
            this.authorizer = authorizer;
            this.reports = reports;
        }

        @Override
        public ObjectNode spawn(ObjectNode request, CallId call, Duration wait) throws InterruptedException {
            SpawnRequest wish = json.treeToValue(request, SpawnRequest.class);
            return permitted(request, call, wait, parent -> spawning.below(parent, wish, call.value()));
        }

        @Override
        public ObjectNode resume(ChildId child, ObjectNode request, CallId call, Duration wait)
                throws InterruptedException {
            Child over = translated(() -> own(child));
            ResumeRequest wish = json.treeToValue(request, ResumeRequest.class);
            // Asked for like a spawn of the same agent.
            ObjectNode asked = request.deepCopy()
                    .put("resume", child.value())
                    .put("agent", over.terms().agent());
            return permitted(asked, call, wait, parent -> spawning.resumeBelow(parent, over, wish, call.value()));
        }

        private ObjectNode permitted(ObjectNode request, CallId call, Duration wait, Start start)
                throws InterruptedException {
            reports.caused(request.toString().length());
            Child parent = live.child();
            var subject = new Subject.Tool(
                    DelegationTools.SPAWN,
                    request,
                    Assignment.directory(parent.terms().workspace()));
            Verdict verdict = authorizer.authorize(call, DelegationTools.SPAWN, subject, wait);
            ObjectNode answer = json.createObjectNode()
                    .put("decision", verdict.decision().wire())
                    .put("reason", verdict.reason())
                    .put("askId", verdict.askId());
            if (verdict.decision() == Verdict.Decision.ALLOWED) {
                answer.set("child", translated(() -> started(parent, start.of(parent))));
            }
            return answer;
        }

        private ObjectNode started(Child parent, Child child) {
            timeline.once(
                    parent.id(),
                    "child-started",
                    json.createObjectNode()
                            .put("child", child.id().value())
                            .put("agent", child.terms().agent()));
            live.news().raise();
            return shown(child);
        }

        /** A runner does not offer what is denied; code that asks by itself is told here. */
        private void require(String tool) {
            if (!has(tool)) {
                throw new DoorProblem(403, "delegation-not-allowed", "`%s` is denied to this child".formatted(tool));
            }
        }

        private boolean has(String tool) {
            return live.child().terms().tools().contains(tool);
        }

        @Override
        public ObjectNode list() {
            require(DelegationTools.LIST);
            ObjectNode list = json.createObjectNode();
            var children = list.putArray("children");
            inspection.below(live.child()).forEach(child -> children.add(shown(child)));
            return list;
        }

        @Override
        public JsonNode show(ChildId child) {
            require(DelegationTools.LIST);
            return translated(() -> shown(own(child)));
        }

        @Override
        public JsonNode result(ChildId child, Duration wait) throws InterruptedException {
            // Whoever starts a child and waits for it gets the result without a tool of its own.
            require(has(DelegationTools.SPAWN) ? DelegationTools.SPAWN : DelegationTools.RESULT);
            return translated(() -> {
                ObjectNode result = json.valueToTree(inspection.result(() -> own(child), child, wait));
                // A place on the gateway's host is nothing to a child.
                result.remove("salvage");
                return result;
            });
        }

        @Override
        public JsonNode cancel(ChildId child, @Nullable String reason) {
            require(DelegationTools.CANCEL);
            return translated(() -> shown(inspection.cancel(own(child), author(), reason)));
        }

        @Override
        public JsonNode steer(ChildId child, String message) {
            require(DelegationTools.STEER);
            return translated(() -> shown(inspection.steer(own(child), author(), message)));
        }

        private Child own(ChildId child) {
            return inspection.below(live.child(), child);
        }

        private String author() {
            return "parent " + live.child().id();
        }
    }

    private ObjectNode shown(Child child) {
        ObjectNode shown = json.valueToTree(ChildResponse.of(child));
        shown.remove("directory");
        shown.remove("containment");
        shown.put("runInBackground", Boolean.TRUE.equals(child.terms().runInBackground()));
        return shown;
    }

    @FunctionalInterface
    private interface Start {

        Child of(Child parent) throws InterruptedException;
    }

    @FunctionalInterface
    private interface Action<T, E extends Exception> {

        T run() throws E;
    }

    /** A refusal for a caller is the same refusal for a child. */
    private static <T, E extends Exception> T translated(Action<T, E> action) throws E {
        try {
            return action.run();
        } catch (ProblemException e) {
            Map<String, Object> properties = e.body().getProperties();
            Object remedy = properties == null ? null : properties.get("remedy");
            int status = e.problem().status().value();
            throw new DoorProblem(
                    // A runner would say it again and again for as long as its patience lasts.
                    status == 429 ? 409 : status,
                    e.problem().code(),
                    String.valueOf(e.getMessage()),
                    remedy == null ? null : remedy.toString(),
                    null);
        }
    }
}
