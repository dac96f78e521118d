package dev.sallyport.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class VisibleTextTest {

    static Stream<Arguments> tricks() {
        return Stream.of(
                Arguments.of("colour (CSI)", "a\u001b[31mred", "a\\x1b[31mred"),
                Arguments.of("title (OSC)", "\u001b]0;root\u0007", "\\x1b]0;root\\x07"),
                Arguments.of("C1 CSI", "\u009b2J", "\\x9b2J"),
                Arguments.of("C1 OSC", "\u009d0;x\u009c", "\\x9d0;x\\x9c"),
                Arguments.of("overwrite the line", "rm -rf /\rls", "rm -rf /\\rls"),
                Arguments.of("backspace", "no\b\byes", "no\\x08\\x08yes"),
                Arguments.of("NUL and DEL", "\0\u007f", "\\x00\\x7f"),
                Arguments.of("vertical space", "a\u000b\fb\u0085c", "a\\x0b\\x0cb\\x85c"),
                Arguments.of("bidi override", "\u202etxt.exe\u202c", "\\u{202e}txt.exe\\u{202c}"),
                Arguments.of("bidi isolate", "\u2066x\u2069", "\\u{2066}x\\u{2069}"),
                Arguments.of("bidi marks", "\u200e\u200f\u061c", "\\u{200e}\\u{200f}\\u{61c}"),
                Arguments.of(
                        "zero width",
                        "a\u200bb\u200cc\u200dd\u2060e\ufefff",
                        "a\\u{200b}b\\u{200c}c\\u{200d}d\\u{2060}e\\u{feff}f"),
                Arguments.of("soft hyphen", "a\u00adb", "a\\xadb"),
                Arguments.of("tag characters", "x\udb40\udc41\udb40\udc7f", "x\\u{e0041}\\u{e007f}"),
                Arguments.of("unused tag plane", "\udb40\udc00", "\\u{e0000}"),
                Arguments.of("line separators", "a\u2028b\u2029c", "a\\u{2028}b\\u{2029}c"),
                Arguments.of("other spaces", "a\u00a0b\u3000c", "a\\xa0b\\u{3000}c"),
                Arguments.of("blank letters", "\u3164\u115f\uffa0\u2800", "\\u{3164}\\u{115f}\\u{ffa0}\\u{2800}"),
                Arguments.of("variation selectors", "a\ufe00b\udb40\udd00", "a\\u{fe00}b\\u{e0100}"),
                Arguments.of("lone surrogate", "a\ud800b", "a\\u{d800}b"),
                Arguments.of("private use", "\ue000", "\\u{e000}"),
                Arguments.of("interlinear", "\ufff9x\ufffb", "\\u{fff9}x\\u{fffb}"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("tricks")
    void showsWhatWouldHide(String name, String text, String visible) {
        assertThat(VisibleText.of(text)).isEqualTo(visible);
        assertThat(VisibleText.line(text)).isEqualTo(visible);
    }

    @Test
    void leavesOrdinaryTextAlone() {
        String text = "Grüße, 世界 \ud83d\ude00 — “naïve” ñ\nline\ttab";

        assertThat(VisibleText.of(text)).isEqualTo(text);
    }

    @Test
    void keepsALineOnOneLine() {
        assertThat(VisibleText.line("a\nfield  value\tx")).isEqualTo("a\\nfield  value\\tx");
    }

    @Test
    void letsNothingBePushedOutOfSight() {
        assertThat(VisibleText.excerpt("ls" + " ".repeat(5_000) + "; rm -rf /", 200))
                .isEqualTo("ls[5000 spaces]; rm -rf /");
        assertThat(VisibleText.excerpt("x".repeat(1 << 20), 10)).isEqualTo("xxxxxxxxxx… [1048576 characters in all]");
        assertThat(VisibleText.excerpt("short", 10)).isEqualTo("short");
        assertThat(VisibleText.excerpt("a\u001b[2K", 100)).isEqualTo("a\\x1b[2K");
    }

    @Test
    void cutsNoCharacterInHalf() {
        assertThat(VisibleText.excerpt("a\ud83d\ude00b", 2)).startsWith("a…");
    }

    // Whatever is let through must be printable for a terminal: tried for every code point there is.
    @Test
    void letsNoControlThrough() {
        assertThat(IntStream.rangeClosed(0, Character.MAX_CODE_POINT)
                        .filter(c -> !isPrintable(VisibleText.line(Character.toString(c)))))
                .isEmpty();
    }

    private static boolean isPrintable(String text) {
        return text.chars().allMatch(c -> c >= 0x20 && (c < 0x7f || c > 0x9f));
    }
}
