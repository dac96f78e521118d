package dev.sallyport.gateway.child;

import dev.sallyport.gateway.budget.Ledger;
import dev.sallyport.gateway.catalogue.Catalogue;
import dev.sallyport.gateway.door.Door;
import dev.sallyport.gateway.memory.Memories;
import dev.sallyport.gateway.permission.PermissionService;
import dev.sallyport.gateway.routing.ModelRouter;
import dev.sallyport.gateway.sandbox.BindSources;
import dev.sallyport.gateway.sandbox.SandboxDriver;
import dev.sallyport.gateway.sandbox.SandboxUser;
import dev.sallyport.gateway.workspace.Workspaces;
import io.micrometer.core.instrument.MeterRegistry;
import java.security.SecureRandom;
import java.time.Clock;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionOperations;
import tools.jackson.databind.json.JsonMapper;

/** Puts the parts of this package together. */
@Configuration(proxyBeanMethods = false)
class ChildConfiguration {

    @Bean
    Children children(
            JdbcClient db,
            TransactionOperations transactions,
            LifeSettings settings,
            Ledger ledger,
            JsonMapper json,
            Clock clock) {
        var admission = new Admission(db, settings.active(), settings.activePerSession(), Admission.PER_TREE);
        return new Children(db, transactions, admission, ledger, json, clock);
    }

    @Bean
    Timeline timeline(JdbcClient db, JsonMapper json, Clock clock) {
        return new Timeline(db, json, clock);
    }

    @Bean
    Clones clones(Workspaces workspaces, Children children, Timeline timeline, LifeSettings settings, JsonMapper json) {
        return new Clones(workspaces, children, timeline, settings.directory(), json);
    }

    @Bean
    Remembering remembering(Memories memories, Timeline timeline, JsonMapper json) {
        return new Remembering(memories, timeline, json);
    }

    @Bean
    Surroundings surroundings(
            SandboxDriver driver,
            Door door,
            BindSources bindSources,
            PermissionService permissions,
            Children children,
            Timeline timeline,
            Clones clones,
            Remembering remembering,
            Ledger ledger,
            MeterRegistry meters,
            LifeSettings settings,
            Clock clock,
            JsonMapper json) {
        return new Surroundings(
                driver,
                door,
                bindSources,
                permissions,
                children,
                timeline,
                clones,
                remembering,
                ledger,
                new Provisions(settings.directory()),
                new ChildMetrics(meters),
                settings,
                clock,
                json);
    }

    @Bean
    Remains remains(Surroundings with) {
        return new Remains(with);
    }

    @Bean
    Lives lives(Surroundings with, Remains remains, ObjectProvider<Delegating> delegating) {
        return new Lives(with, remains, delegating::getObject);
    }

    @Bean
    Reaper reaper(Surroundings with, Lives lives, Remains remains) {
        return new Reaper(with, lives, remains);
    }

    @Bean
    Rounds rounds(Reaper reaper, Lives lives) {
        return new Rounds(reaper, lives);
    }

    @Bean
    Spawning spawning(
            Catalogue catalogue,
            SpawnPolicy policy,
            ModelRouter router,
            BindSources binds,
            Workspaces workspaces,
            PermissionService permissions,
            Children children,
            Ledger ledger,
            Timeline timeline,
            Transcript transcript,
            Remembering remembering,
            Lives lives,
            LifeSettings settings,
            JsonMapper json) {
        SandboxUser somebody = new SandboxUser(settings.firstUid(), settings.firstUid());
        return new Spawning(
                catalogue,
                policy,
                new Selecting(router, json),
                new Resuming(children, transcript, lives, json),
                new Sources(binds, workspaces, children, somebody),
                permissions,
                children,
                ledger,
                timeline,
                transcript,
                remembering,
                lives,
                new SecureRandom(),
                json);
    }

    @Bean
    Transcript transcript(Timeline timeline, JsonMapper json) {
        return new Transcript(timeline, json);
    }

    @Bean
    Inspection inspection(Children children, Timeline timeline, Clones clones, Lives lives, Remains remains) {
        return new Inspection(children, timeline, clones, lives, remains);
    }

    @Bean
    Delegating delegating(Spawning spawning, Inspection inspection, Timeline timeline, JsonMapper json) {
        return new Delegating(spawning, inspection, timeline, json);
    }

    @Bean
    EventStream eventStream(Timeline timeline, Children children, Lives lives, JsonMapper json) {
        return new EventStream(timeline, children, lives, json);
    }
}
