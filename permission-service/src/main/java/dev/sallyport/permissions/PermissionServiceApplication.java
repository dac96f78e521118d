package dev.sallyport.permissions;

import dev.sallyport.service.ServiceConfiguration;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Import;

/** Decides what children may do, asks people where policy says so, and records both. */
@SpringBootApplication
@EnableConfigurationProperties(PermissionProperties.class)
@Import(ServiceConfiguration.class)
public class PermissionServiceApplication {

    public static void main(String[] args) {
        // A name of its own, so that the gateway's configuration may lie beside it in one JVM.
        new SpringApplicationBuilder(PermissionServiceApplication.class)
                .properties("spring.config.name=permission-service")
                .run(args);
    }
}
