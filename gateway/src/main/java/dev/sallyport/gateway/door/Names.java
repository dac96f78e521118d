package dev.sallyport.gateway.door;

import dev.sallyport.text.VisibleText;

/** Text from a child, made fit for an event, a log line or an error body. */
final class Names {

    private static final int MOST = 200;

    private Names() {}

    static String shown(String text) {
        return text.length() > MOST ? VisibleText.line(text.substring(0, MOST)) + "…" : VisibleText.line(text);
    }
}
