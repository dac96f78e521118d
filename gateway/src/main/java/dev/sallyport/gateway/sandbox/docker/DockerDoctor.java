package dev.sallyport.gateway.sandbox.docker;

/** Asks the engine what it can enforce, for `doctor` and for {@link dev.sallyport.gateway.sandbox.BindSources}. */
public final class DockerDoctor {

    private final DockerEngine engine;
    private final LoopVolumes loops;

    DockerDoctor(DockerEngine engine, LoopVolumes loops) {
        this.engine = engine;
        this.loops = loops;
    }

    /** Asked anew each time. */
    public DoctorFacts facts() {
        return engine.facts(loops.unavailable());
    }
}
