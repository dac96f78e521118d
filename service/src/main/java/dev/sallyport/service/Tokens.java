package dev.sallyport.service;

import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.OctetSequenceKey;
import com.nimbusds.jose.jwk.source.ImmutableJWKSet;
import dev.sallyport.identity.Role;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.springframework.security.oauth2.jose.jws.MacAlgorithm;
import org.springframework.security.oauth2.jwt.JwsHeader;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtClaimsSet;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtEncoder;
import org.springframework.security.oauth2.jwt.JwtEncoderParameters;
import org.springframework.security.oauth2.jwt.JwtTimestampValidator;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.oauth2.jwt.NimbusJwtEncoder;

/** Issues and reads the tokens of one installation, all signed with its one key (docs/adr/0003). */
public final class Tokens {

    /** HS256 wants a key at least as long as its digest. */
    private static final int KEY_BYTES = 32;

    private static final int REMEMBERED = 1_000;

    private final Map<String, Jwt> verified = new ConcurrentHashMap<>();
    private final SecretKey key;
    private final JwtEncoder encoder;
    private final Clock clock;

    /**
     * @param key base64 of at least 32 random bytes
     * @throws IllegalArgumentException if it is shorter or no base64; the message never shows it
     */
    public Tokens(String key, Clock clock) {
        byte[] bytes;
        try {
            bytes = Base64.getDecoder().decode(key);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("sallyport.auth.key (expected: base64 of at least 32 bytes)", e);
        }
        if (bytes.length < KEY_BYTES) {
            throw new IllegalArgumentException(
                    "sallyport.auth.key: %d bytes (expected: at least %d)".formatted(bytes.length, KEY_BYTES));
        }
        this.key = new SecretKeySpec(bytes, "HmacSHA256");
        this.encoder =
                new NimbusJwtEncoder(new ImmutableJWKSet<>(new JWKSet(new OctetSequenceKey.Builder(bytes).build())));
        this.clock = clock;
    }

    /** A signed token for this caller that is refused once {@code life} is over. */
    public String issue(Caller caller, Duration life) {
        Instant now = clock.instant();
        JwtClaimsSet claims = JwtClaimsSet.builder()
                .subject(caller.principal())
                .issuedAt(now)
                .expiresAt(now.plus(life))
                .claim(Caller.TENANT_CLAIM, caller.tenant().value())
                .claim(Caller.KIND_CLAIM, caller.kind().wire())
                .claim(
                        Caller.ROLES_CLAIM,
                        caller.roles().stream().map(Role::wire).sorted().toList())
                .build();
        return encoder.encode(JwtEncoderParameters.from(
                        JwsHeader.with(MacAlgorithm.HS256).build(), claims))
                .getTokenValue();
    }

    /** Services come with the same token thousands of times: its signature is checked once, its times at each use. */
    JwtDecoder decoder() {
        JwtTimestampValidator times = new JwtTimestampValidator();
        times.setClock(clock);
        NimbusJwtDecoder signatures = NimbusJwtDecoder.withSecretKey(key)
                .macAlgorithm(MacAlgorithm.HS256)
                .build();
        signatures.setJwtValidator(JwtValidators.createDefaultWithValidators(List.of(times)));
        return token -> {
            Jwt known = verified.get(token);
            if (known != null && !times.validate(known).hasErrors()) {
                return known;
            }
            // What was refused is not kept, so that nobody without a key fills this.
            Jwt jwt = signatures.decode(token);
            if (verified.size() >= REMEMBERED) {
                verified.clear();
            }
            verified.put(token, jwt);
            return jwt;
        };
    }
}
