package dev.sallyport.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.identity.Role;
import dev.sallyport.identity.Tenant;
import dev.sallyport.testing.MutableClock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.security.oauth2.jwt.BadJwtException;
import org.springframework.security.oauth2.jwt.JwtDecoder;

class TokensTest {

    private static final Caller GATEWAY =
            new Caller("gateway", Tenant.DEFAULT, Caller.Kind.SERVICE, Set.of(Role.SERVICE));

    private final MutableClock clock = new MutableClock(Instant.parse("2026-11-30T12:00:00Z"));
    private final Tokens tokens = new Tokens(Base64.getEncoder().encodeToString(new byte[32]), clock);
    private final JwtDecoder decoder = tokens.decoder();

    @Test
    void aTokenThatWasGoodBeforeIsRefusedOnceItIsOver() {
        String token = tokens.issue(GATEWAY, Duration.ofMinutes(10));
        assertThat(decoder.decode(token).getSubject()).isEqualTo("gateway");
        assertThat(decoder.decode(token).getSubject()).isEqualTo("gateway");

        clock.advance(Duration.ofMinutes(12));

        assertThatThrownBy(() -> decoder.decode(token)).isInstanceOf(BadJwtException.class);
    }

    @Test
    void aKnownTokenVouchesForNoOther() {
        String token = tokens.issue(GATEWAY, Duration.ofMinutes(10));
        decoder.decode(token);
        String signature = token.substring(token.lastIndexOf('.') + 1);
        String other = tokens.issue(
                new Caller("mallory", Tenant.DEFAULT, Caller.Kind.SERVICE, Set.of(Role.SERVICE)),
                Duration.ofMinutes(10));

        assertThatThrownBy(() -> decoder.decode(other.substring(0, other.lastIndexOf('.') + 1) + signature))
                .isInstanceOf(BadJwtException.class);
    }
}
