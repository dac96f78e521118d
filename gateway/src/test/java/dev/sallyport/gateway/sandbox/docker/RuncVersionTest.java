package dev.sallyport.gateway.sandbox.docker;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RuncVersionTest {

    @ParameterizedTest // S12
    @CsvSource({
        "1.0.0,                true,  true",
        "1.1.5,                true,  true",
        "1.1.5+ds1-1+deb12u1,  false, true",
        "1.1.11,               true,  true",
        "1.1.12,               false, true",
        "1.2.7,                false, true",
        "1.2.8,                false, false",
        "1.3.2,                false, true",
        "1.3.3,                false, false",
        "v1.4.0,               false, false",
        "2.0.0,                false, false",
        "'',                   true,  true",
        "unknown,              true,  true",
    })
    void judgesAVersion(String version, boolean open2024, boolean open2025) {
        assertThat(RuncVersion.vulnerabilities(version).contains("CVE-2024-21626"))
                .isEqualTo(open2024);
        assertThat(RuncVersion.vulnerabilities(version).stream().anyMatch(v -> v.contains("CVE-2025-31133")))
                .isEqualTo(open2025);
    }
}
