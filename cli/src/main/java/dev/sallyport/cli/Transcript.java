package dev.sallyport.cli;

import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "transcript",
        description = "Shows the conversation of a child; with -o json as the gateway keeps it, a message a line.")
final class Transcript extends ChildVerb {

    @Option(names = "--raw", description = Raw.DESCRIPTION)
    private boolean raw;

    Transcript(Environment environment) {
        super(environment);
    }

    @Override
    int run() {
        Output output = output();
        Raw text = Raw.of(raw, environment().terminal(), output);
        connect()
                .gateway()
                .getText(path("/transcript"), "application/x-ndjson")
                .lines()
                .map(Json::parse)
                .forEach(line -> {
                    if (output.json()) {
                        output.jsonLine(line);
                    } else {
                        text.part(said(line.get("message")));
                    }
                });
        return ExitCode.OK;
    }

    private static String said(Json message) {
        String content = message.list("content").stream().map(Transcript::block).collect(Collectors.joining("\n"));
        String tool = message.text("toolName");
        return "%s%s: %s\n".formatted(message.text("role"), tool.isEmpty() ? "" : " " + tool, content);
    }

    private static String block(Json block) {
        return block.text("type").equals("toolCall")
                ? "%s %s".formatted(block.text("name"), block.get("arguments").write())
                : block.text("text");
    }
}
