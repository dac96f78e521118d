package dev.sallyport.gateway.workspace;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.zip.DeflaterOutputStream;

/** A bundle made byte by byte, so that it can be what git would never make. */
final class BundleBuilder {

    private final StringBuilder header = new StringBuilder("# v2 git bundle\n");
    private final ByteArrayOutputStream pack = new ByteArrayOutputStream();
    private int count;

    record Entry(String mode, String name, String id) {}

    BundleBuilder line(String line) {
        header.append(line).append('\n');
        return this;
    }

    BundleBuilder version(String first) {
        header.replace(0, header.indexOf("\n"), first);
        return this;
    }

    String blob(byte[] content) {
        return object(3, "blob", content);
    }

    String blob(String content) {
        return blob(content.getBytes(UTF_8));
    }

    String tree(Entry... entries) {
        return object(2, "tree", treeContent(entries));
    }

    static byte[] treeContent(Entry... entries) {
        ByteArrayOutputStream tree = new ByteArrayOutputStream();
        for (Entry entry : entries) {
            tree.writeBytes((entry.mode() + " " + entry.name() + "\0").getBytes(UTF_8));
            tree.writeBytes(HexFormat.of().parseHex(entry.id()));
        }
        return tree.toByteArray();
    }

    String commit(String tree, String parent) {
        return commit(
                "tree %s\nparent %s\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nx\n".formatted(tree, parent));
    }

    String commit(String content) {
        return object(1, "commit", content.getBytes(UTF_8));
    }

    String object(int type, String name, byte[] content) {
        raw(type, content.length, new byte[0], content);
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        whole.writeBytes((name + " " + content.length + "\0").getBytes(UTF_8));
        whole.writeBytes(content);
        return HexFormat.of().formatHex(sha1(whole.toByteArray()));
    }

    /** Where the next object will begin in the pack. */
    int offset() {
        return 12 + pack.size();
    }

    void offsetDelta(int base, byte[] delta) {
        long distance = (long) offset() - base;
        byte[] bytes = new byte[10];
        int position = bytes.length - 1;
        bytes[position] = (byte) (distance & 0x7f);
        while ((distance >>= 7) != 0) {
            bytes[--position] = (byte) (0x80 | (--distance & 0x7f));
        }
        raw(6, delta.length, Arrays.copyOfRange(bytes, position, bytes.length), delta);
    }

    void idDelta(String base, byte[] delta) {
        raw(7, delta.length, HexFormat.of().parseHex(base), delta);
    }

    /** A delta that copies its whole base {@code times} times and then appends {@code more}. */
    static byte[] delta(int base, int times, String more) {
        ByteArrayOutputStream delta = new ByteArrayOutputStream();
        varint(delta, base);
        varint(delta, (long) base * times + more.length());
        for (int i = 0; i < times; i++) {
            delta.write(0xf0);
            delta.write(base & 0xff);
            delta.write(base >> 8 & 0xff);
            delta.write(base >> 16);
        }
        if (!more.isEmpty()) {
            delta.write(more.length());
            delta.writeBytes(more.getBytes(UTF_8));
        }
        return delta.toByteArray();
    }

    private static void varint(ByteArrayOutputStream out, long value) {
        long rest = value;
        for (; rest >= 0x80; rest >>= 7) {
            out.write((int) ((rest & 0x7f) | 0x80));
        }
        out.write((int) rest);
    }

    /** An entry of the pack whose stated size need not be true. */
    void raw(int type, long size, byte[] base, byte[] content) {
        count++;
        long rest = size >> 4;
        int first = type << 4 | (int) (size & 15);
        pack.write(rest == 0 ? first : first | 0x80);
        if (rest != 0) {
            varint(pack, rest);
        }
        pack.writeBytes(base);
        try (DeflaterOutputStream deflate = new DeflaterOutputStream(pack)) {
            deflate.write(content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    BundleBuilder claim(int objects) {
        count = objects;
        return this;
    }

    byte[] toByteArray() {
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        whole.writeBytes("PACK".getBytes(UTF_8));
        whole.writeBytes(ByteBuffer.allocate(8).putInt(2).putInt(count).array());
        whole.writeBytes(pack.toByteArray());
        byte[] checksum = sha1(whole.toByteArray());
        ByteArrayOutputStream bundle = new ByteArrayOutputStream();
        bundle.writeBytes((header + "\n").getBytes(UTF_8));
        bundle.writeBytes(whole.toByteArray());
        bundle.writeBytes(checksum);
        return bundle.toByteArray();
    }

    Path write(Path file) {
        try {
            return Files.write(file, toByteArray());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] sha1(byte[] content) {
        try {
            return MessageDigest.getInstance("SHA-1").digest(content);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
