package dev.sallyport.gateway.sandbox.docker;

import dev.sallyport.gateway.sandbox.SandboxDriver;
import dev.sallyport.identity.InstallationId;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(DockerProperties.class)
class DockerConfiguration {

    @Bean
    DockerEngine dockerEngine(DockerProperties properties) {
        return new DockerEngine(properties.host());
    }

    @Bean
    SandboxDriver sandboxDriver(DockerEngine engine, DockerProperties properties, InstallationId installation) {
        return DockerSandboxDriver.of(engine, installation, properties.volumes());
    }

    @Bean
    DockerDoctor dockerDoctor(DockerEngine engine, DockerProperties properties, InstallationId installation) {
        return new DockerDoctor(engine, new LoopVolumes(properties.volumes().resolve(installation.value())));
    }
}
