package dev.sallyport.service;

import java.util.Set;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How a service may be reached.
 *
 * @param allowedHosts names a request may carry in its Host header, without port (S22)
 */
@ConfigurationProperties("sallyport.http")
record HttpProperties(
        @DefaultValue({"127.0.0.1", "localhost", "[::1]"}) Set<String> allowedHosts) {}
