package dev.sallyport.bench;

import java.util.HashMap;
import java.util.Map;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/** Runs {@link CoreBenchmark} and prints the ratios of docs/bench.md, of medians: other programs share the machine. */
final class CoreRatios {

    private CoreRatios() {}

    public static void main(String[] arguments) throws RunnerException {
        Map<String, Double> nanos = new HashMap<>();
        for (RunResult result : new Runner(new OptionsBuilder()
                        .include(CoreBenchmark.class.getSimpleName())
                        .build())
                .run()) {
            nanos.put(
                    result.getPrimaryResult().getLabel(),
                    result.getPrimaryResult().getStatistics().getPercentile(50));
        }
        ratio("resolve one spawn of 100 agents over one round trip", nanos, "resolve", 1, "roundTrip");
        ratio("re-read 1,000 unchanged agent files over a listing", nanos, "reread", 1, "listing");
        // Two decisions are measured, beside five look-ups.
        ratio("one decision about scope over one look-up", nanos, "inScope", 2.5, "fiveLookUps");
    }

    private static void ratio(String what, Map<String, Double> nanos, String one, double per, String over) {
        double of = nanos.getOrDefault(one, Double.NaN);
        double base = nanos.getOrDefault(over, Double.NaN);
        System.out.printf("%s: %.2f (%.0f ns over %.0f ns)%n", what, per * of / base, of, base);
    }
}
