package dev.sallyport.cli;

import dev.sallyport.text.VisibleText;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Columns of text, each as wide as its widest cell; the last one takes what is left of the line. */
record Table(List<String> head, List<List<String>> rows) {

    Table {
        head = List.copyOf(head);
        rows = rows.stream()
                .map(row -> row.stream().map(VisibleText::line).toList())
                .toList();
    }

    List<String> lines() {
        List<List<String>> all = Stream.concat(Stream.of(head), rows.stream()).toList();
        int[] widths = IntStream.range(0, head.size())
                .map(column -> all.stream()
                        .mapToInt(row -> row.get(column).length())
                        .max()
                        .orElse(0))
                .toArray();
        return all.stream()
                .map(row -> IntStream.range(0, row.size())
                        .mapToObj(column -> row.get(column)
                                + " ".repeat(widths[column] - row.get(column).length()))
                        .reduce((left, right) -> left + "  " + right)
                        .orElse("")
                        .stripTrailing())
                .toList();
    }
}
