package dev.sallyport.authority;

import dev.sallyport.provenance.Origin;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.Function;

/** A capability while wishes and ceilings are laid over each other. It starts with somebody's word and only gets smaller. */
final class Narrowed<T> {

    private final BinaryOperator<T> meet;
    private final Function<T, String> show;
    private final List<Field.Loser> losers = new ArrayList<>();
    private T value;
    private Origin winner;

    Narrowed(T value, Origin origin, BinaryOperator<T> meet, Function<T, String> show) {
        this.value = value;
        this.winner = origin;
        this.meet = meet;
        this.show = show;
    }

    T value() {
        return value;
    }

    Origin winner() {
        return winner;
    }

    List<Field.Loser> losers() {
        return losers;
    }

    /** Somebody else's wish for the same: what both want remains, and whoever wanted more has lost. */
    void wish(Origin origin, T wished) {
        Origin before = winner;
        cap(origin, wished);
        if (!wished.equals(value)) {
            losers.add(new Field.Loser(origin, show.apply(wished), "%s asks for less".formatted(before)));
        }
    }

    /** A bound. It shows only where it takes something away. */
    void cap(Origin origin, T ceiling) {
        T met = meet.apply(value, ceiling);
        if (!met.equals(value)) {
            losers.addFirst(new Field.Loser(winner, show.apply(value), "%s allows less".formatted(origin)));
            value = met;
            winner = origin;
        }
    }

    String shown() {
        return show.apply(value);
    }
}
