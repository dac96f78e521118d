package dev.sallyport.service;

import jakarta.validation.constraints.NotBlank;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.validation.annotation.Validated;

/**
 * Who is believed.
 *
 * @param key base64 of the key that signs every token of this installation; has no default, since a known key is none
 */
@Validated
@ConfigurationProperties("sallyport.auth")
record AuthProperties(@NotBlank String key) {

    /** Never shows the key, wherever configuration is printed. */
    @Override
    public String toString() {
        return "AuthProperties[key=***]";
    }
}
