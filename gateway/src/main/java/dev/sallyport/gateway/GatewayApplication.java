package dev.sallyport.gateway;

import dev.sallyport.service.ServiceConfiguration;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Import;

/** Resolves what children may do, runs them, and holds their doors. */
@SpringBootApplication
@Import(ServiceConfiguration.class)
public class GatewayApplication {

    public static void main(String[] args) {
        // A name of its own, so that the permission-service's configuration may lie beside it in one JVM.
        new SpringApplicationBuilder(GatewayApplication.class)
                .properties("spring.config.name=gateway")
                .run(args);
    }
}
