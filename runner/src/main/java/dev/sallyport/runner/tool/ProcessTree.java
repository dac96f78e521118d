package dev.sallyport.runner.tool;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The processes that one program started, as far as they can be told from others: its descendants, its session, and whoever
 * carries its mark in the environment, which outlives setsid and double forks. Best effort within the child; that nothing of a
 * child outlives its end is the kernel's business.
 */
final class ProcessTree {

    private static final int ROUNDS = 50;

    private record Entry(long pid, char state, long parent, long session, boolean marked) {}

    private final long root;
    private final String mark;

    /** @param mark an environment entry that only this program's processes have */
    ProcessTree(long root, String mark) {
        this.root = root;
        this.mark = mark;
    }

    /** Kills until nothing is left; a tree that grows as fast as it is killed is left to the pids limit. */
    void kill() {
        for (int round = 0; round < ROUNDS; round++) {
            Set<Long> living = living();
            if (living.isEmpty()) {
                return;
            }
            for (long pid : living) {
                ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
            }
            // Dying takes the kernel a moment.
            java.util.concurrent.locks.LockSupport.parkNanos(2_000_000);
        }
    }

    private Set<Long> living() {
        List<Entry> entries = entries();
        Set<Long> ours = new HashSet<>(Set.of(root));
        boolean grew = true;
        while (grew) {
            grew = false;
            for (Entry entry : entries) {
                if (entry.marked() || entry.session() == root || ours.contains(entry.parent())) {
                    grew |= ours.add(entry.pid());
                }
            }
        }
        Set<Long> living = new HashSet<>();
        for (Entry entry : entries) {
            if (ours.contains(entry.pid()) && entry.state() != 'Z' && entry.state() != 'X') {
                living.add(entry.pid());
            }
        }
        return living;
    }

    private List<Entry> entries() {
        List<Entry> entries = new ArrayList<>();
        long self = ProcessHandle.current().pid();
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                long pid = Long.parseLong(process.getFileName().toString());
                if (pid == self) {
                    continue;
                }
                try {
                    // pid (name) state ppid pgrp session …; the name may hold spaces and parentheses.
                    String stat = Files.readString(process.resolve("stat"), StandardCharsets.ISO_8859_1);
                    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", 5);
                    entries.add(new Entry(
                            pid,
                            fields[0].charAt(0),
                            Long.parseLong(fields[1]),
                            Long.parseLong(fields[3]),
                            marked(process)));
                } catch (IOException e) {
                    // ended meanwhile
                }
            }
        } catch (IOException e) {
            // Without /proc nothing can be found; the root itself is killed by its own handle.
        }
        return entries;
    }

    private boolean marked(Path process) {
        try {
            String environment = "\0" + Files.readString(process.resolve("environ"), StandardCharsets.ISO_8859_1);
            return environment.contains("\0" + mark + "\0");
        } catch (IOException e) {
            return false;
        }
    }
}
