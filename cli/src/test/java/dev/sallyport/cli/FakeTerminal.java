package dev.sallyport.cli;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** A person who answers from a list, or nobody. */
final class FakeTerminal implements Terminal {

    final List<String> prompts = new ArrayList<>();
    private final boolean interactive;
    private final boolean confirms;
    private final Deque<Runnable> before = new ArrayDeque<>();
    private final Deque<String> lines = new ArrayDeque<>();

    private FakeTerminal(boolean interactive, boolean confirms) {
        this.interactive = interactive;
        this.confirms = confirms;
    }

    /** A program's pipes: no terminal anywhere. */
    static FakeTerminal none() {
        return new FakeTerminal(false, false);
    }

    /** A person whose standard input is a pipe, and who says yes on the terminal. */
    static FakeTerminal confirming() {
        return new FakeTerminal(false, true);
    }

    static FakeTerminal person(String... lines) {
        FakeTerminal terminal = new FakeTerminal(true, true);
        for (String line : lines) {
            terminal.types(line);
        }
        return terminal;
    }

    FakeTerminal types(String line) {
        return types(line, () -> {});
    }

    /** @param first what happens between the prompt and the answer */
    FakeTerminal types(String line, Runnable first) {
        lines.add(line);
        before.add(first);
        return this;
    }

    @Override
    public boolean interactive() {
        return interactive;
    }

    @Override
    public boolean outputIsTerminal() {
        return interactive;
    }

    @Override
    public String ask(String prompt) {
        prompts.add(prompt);
        if (lines.isEmpty()) {
            return null;
        }
        before.remove().run();
        return lines.remove();
    }

    @Override
    public char[] askSecret(String prompt) {
        String line = ask(prompt);
        return line == null ? null : line.toCharArray();
    }

    @Override
    public boolean confirm(String question) {
        prompts.add(question);
        return confirms;
    }
}
