package dev.sallyport.gateway.workspace;

import dev.sallyport.gateway.workspace.WorkspaceException.Refused;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;

/**
 * Reads through a pack without keeping anything of it, and refuses one that would grow beyond the limits. JGit's parser
 * comes after: by its own limits alone it allocates what a pack's header claims, and applies deltas before it measures
 * what they make.
 */
final class PackScan {

    private static final int MAGIC = 0x5041434b;
    private static final int DELTA_SIZES = 64;

    private final WorkspaceSettings settings;
    private final Predicate<ObjectId> known;
    private final ByteBuffer pack;
    private final Inflater inflater = new Inflater();
    private final byte[] inflated = new byte[1 << 16];
    private final Map<Integer, Integer> depths = new HashMap<>();
    private final Set<ObjectId> outsideBases = new HashSet<>();
    private long total;

    /** @param known whether an object is in the repository already, and may be the base of a delta here */
    PackScan(ByteBuffer pack, WorkspaceSettings settings, Predicate<ObjectId> known) {
        this.pack = pack;
        this.settings = settings;
        this.known = known;
    }

    /** The objects of the repository that deltas of this pack build on. */
    Set<ObjectId> run() {
        try {
            if (pack.getInt() != MAGIC || pack.getInt() != 2) {
                throw damaged("no pack of version 2 follows its header");
            }
            long count = Integer.toUnsignedLong(pack.getInt());
            if (count > settings.objects()) {
                throw new Refused(
                        WorkspaceRefusal.BUNDLE_OBJECTS,
                        "the bundle holds %d objects (expected: at most %d)".formatted(count, settings.objects()));
            }
            for (long i = 0; i < count; i++) {
                object();
            }
            pack.position(pack.position() + Math.min(Constants.OBJECT_ID_LENGTH, pack.remaining()));
            if (pack.hasRemaining()) {
                throw damaged("something follows its end");
            }
            return outsideBases;
        } catch (BufferUnderflowException e) {
            throw damaged("it ends early");
        } finally {
            inflater.end();
        }
    }

    private void object() {
        int offset = pack.position();
        int c = octet();
        int type = (c >> 4) & 7;
        long size = c & 15;
        for (int shift = 4; (c & 0x80) != 0; shift += 7) {
            if (shift > 53) {
                throw damaged("an object has no sensible size");
            }
            c = octet();
            size |= (c & 0x7fL) << shift;
        }
        requireSize(size);
        switch (type) {
            case Constants.OBJ_COMMIT, Constants.OBJ_TREE, Constants.OBJ_BLOB -> {
                depths.put(offset, 0);
                inflate(size, 0);
            }
            case Constants.OBJ_TAG ->
                throw new Refused(WorkspaceRefusal.BUNDLE_REFS, "the bundle brings a tag (expected: only commits)");
            case Constants.OBJ_OFS_DELTA -> {
                Integer base = depths.get((int) (offset - distance()));
                if (base == null) {
                    throw damaged("a delta has no base");
                }
                requireDepth(offset, base + 1);
                requireSize(resultSize(inflate(size, DELTA_SIZES)));
            }
            case Constants.OBJ_REF_DELTA -> {
                byte[] id = new byte[Constants.OBJECT_ID_LENGTH];
                pack.get(id);
                ObjectId base = ObjectId.fromRaw(id);
                // Within one pack git names a base by its place, so any other base is the repository's.
                if (!known.test(base)) {
                    throw new Refused(
                            WorkspaceRefusal.BUNDLE_INCOMPLETE,
                            "the bundle needs object %s, which the repository does not have".formatted(base.name()));
                }
                outsideBases.add(base);
                requireDepth(offset, 1);
                requireSize(resultSize(inflate(size, DELTA_SIZES)));
            }
            default -> throw damaged("an object has no type");
        }
    }

    private void requireDepth(int offset, int depth) {
        if (depth > settings.deltaDepth()) {
            throw new Refused(
                    WorkspaceRefusal.BUNDLE_DELTA_DEPTH,
                    "the bundle chains more than %d deltas".formatted(settings.deltaDepth()));
        }
        depths.put(offset, depth);
    }

    private void requireSize(long size) {
        if (size > settings.objectBytes()) {
            throw new Refused(
                    WorkspaceRefusal.BUNDLE_OBJECT_TOO_LARGE,
                    "an object in the bundle has %d bytes (expected: at most %d)"
                            .formatted(size, settings.objectBytes()));
        }
        total += size;
        if (total > settings.inflatedBytes()) {
            throw new Refused(
                    WorkspaceRefusal.BUNDLE_INFLATED,
                    "the bundle inflates to more than %d bytes".formatted(settings.inflatedBytes()));
        }
    }

    /** Inflates exactly {@code size} bytes and returns the first {@code keep} of them. */
    private byte[] inflate(long size, int keep) {
        byte[] start = new byte[(int) Math.min(size, keep)];
        long done = 0;
        inflater.reset();
        inflater.setInput(pack);
        try {
            while (!inflater.finished()) {
                int n = inflater.inflate(inflated);
                if (done < start.length) {
                    System.arraycopy(inflated, 0, start, (int) done, (int) Math.min(n, start.length - done));
                }
                done += n;
                if (done > size || inflater.needsDictionary()) {
                    throw damaged("an object is longer than it says");
                }
                if (n == 0 && !inflater.finished()) {
                    throw new BufferUnderflowException();
                }
            }
        } catch (DataFormatException e) {
            throw damaged("an object does not inflate");
        }
        if (done != size) {
            throw damaged("an object is shorter than it says");
        }
        return start;
    }

    /** A delta begins with the sizes of its base and of what it makes. */
    private static long resultSize(byte[] delta) {
        int position = 0;
        long size = 0;
        for (int field = 0; field < 2; field++) {
            size = 0;
            int c = 0x80;
            for (int shift = 0; (c & 0x80) != 0; shift += 7) {
                if (shift > 56 || position == delta.length) {
                    throw damaged("a delta has no sensible size");
                }
                c = delta[position++];
                size |= (c & 0x7fL) << shift;
            }
        }
        return size;
    }

    private long distance() {
        int c = octet();
        long distance = c & 0x7f;
        while ((c & 0x80) != 0) {
            c = octet();
            distance = ((distance + 1) << 7) | (c & 0x7f);
            if (distance > settings.bundleBytes()) {
                throw damaged("a delta has no base");
            }
        }
        return distance;
    }

    private int octet() {
        return Byte.toUnsignedInt(pack.get());
    }

    private static Refused damaged(String why) {
        return new Refused(WorkspaceRefusal.BUNDLE_DAMAGED, "the bundle is damaged: " + why);
    }
}
