package dev.sallyport.gateway.sandbox.docker;

import java.net.URI;
import java.nio.file.Path;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Which engine sandboxes run on.
 *
 * @param volumes where the files of bounded volumes lie; one directory below it per installation
 */
@ConfigurationProperties("sallyport.docker")
record DockerProperties(
        @DefaultValue("unix:///var/run/docker.sock") URI host,
        @DefaultValue("/var/lib/sallyport/volumes") Path volumes) {}
