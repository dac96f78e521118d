package dev.sallyport.service;

import dev.sallyport.identity.Role;
import jakarta.servlet.DispatcherType;
import java.time.Clock;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.MethodParameter;
import org.springframework.core.convert.converter.Converter;
import org.springframework.http.HttpMethod;
import org.springframework.security.authentication.AbstractAuthenticationToken;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.config.observation.SecurityObservationSettings;
import org.springframework.security.core.authority.SimpleGrantedAuthority;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.server.resource.InvalidBearerTokenException;
import org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationToken;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.access.intercept.AuthorizationFilter;
import org.springframework.security.web.header.HeaderWriterFilter;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import tools.jackson.databind.json.JsonMapper;

/**
 * What both services do with every request: check Host and Origin, believe only signed tokens, answer errors as RFC 9457.
 * Health alone needs no token (S22). A route says which role it needs by {@code @PreAuthorize("hasRole('SPAWN')")};
 * a route that says nothing still needs a token.
 */
@Configuration(proxyBeanMethods = false)
@EnableMethodSecurity
@EnableConfigurationProperties({AuthProperties.class, HttpProperties.class})
@Import(ProblemAdvice.class)
public class ServiceConfiguration {

    @Bean
    Clock clock() {
        return Clock.systemUTC();
    }

    @Bean
    Tokens tokens(AuthProperties auth, Clock clock) {
        return new Tokens(auth.key(), clock);
    }

    @Bean
    JwtDecoder jwtDecoder(Tokens tokens) {
        return tokens.decoder();
    }

    /** Each filter as an observation of its own costs more than the check that the filter makes. */
    @Bean
    SecurityObservationSettings requestsAreObservedWhole() {
        return SecurityObservationSettings.noObservations();
    }

    @Bean
    SecurityFilterChain everyRequest(HttpSecurity http, HttpProperties properties, JsonMapper json) throws Exception {
        ProblemWriter problems = new ProblemWriter(json);
        return http.addFilterBefore(new HostCheck(properties.allowedHosts(), problems), HeaderWriterFilter.class)
                // Last: who has no token is refused without a look at what was sent.
                .addFilterAfter(new BodyLimit(problems), AuthorizationFilter.class)
                // No cookie is ever believed, so there is nothing for a forged form to ride on.
                .csrf(csrf -> csrf.disable())
                .logout(logout -> logout.disable())
                .requestCache(cache -> cache.disable())
                .sessionManagement(session -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
                .authorizeHttpRequests(
                        requests -> requests.requestMatchers(HttpMethod.GET, "/actuator/health", "/actuator/health/**")
                                .permitAll()
                                // An asynchronous answer is dispatched a second time, by us and not by the caller.
                                .dispatcherTypeMatchers(DispatcherType.ASYNC, DispatcherType.ERROR)
                                .permitAll()
                                .anyRequest()
                                .authenticated())
                .oauth2ResourceServer(server -> server.jwt(jwt -> jwt.jwtAuthenticationConverter(callers()))
                        .authenticationEntryPoint((request, response, e) -> {
                            response.setHeader("WWW-Authenticate", "Bearer");
                            problems.write(
                                    response,
                                    RequestProblem.UNAUTHENTICATED,
                                    "this route needs a valid bearer token; tokens change when sallyport restarts");
                        })
                        .accessDeniedHandler((request, response, e) -> problems.write(
                                response,
                                RequestProblem.FORBIDDEN,
                                "this token does not carry the role this route needs")))
                .exceptionHandling(handling -> handling.authenticationEntryPoint((request, response, e) -> {
                            response.setHeader("WWW-Authenticate", "Bearer");
                            problems.write(response, RequestProblem.UNAUTHENTICATED, "this route needs a bearer token");
                        })
                        .accessDeniedHandler((request, response, e) -> problems.write(
                                response,
                                RequestProblem.FORBIDDEN,
                                "this token does not carry the role this route needs")))
                .build();
    }

    private static Converter<Jwt, AbstractAuthenticationToken> callers() {
        return jwt -> {
            Caller caller;
            try {
                caller = Caller.of(jwt);
            } catch (IllegalArgumentException e) {
                throw new InvalidBearerTokenException("not a token of this installation", e);
            }
            List<SimpleGrantedAuthority> authorities = caller.roles().stream()
                    .map(Role::name)
                    .sorted()
                    .map(role -> new SimpleGrantedAuthority("ROLE_" + role))
                    .toList();
            return new JwtAuthenticationToken(jwt, authorities, caller.principal());
        };
    }

    @Bean
    WebMvcConfigurer callerArgument() {
        return new WebMvcConfigurer() {
            @Override
            public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
                resolvers.add(new CallerArgument());
            }
        };
    }

    private static final class CallerArgument implements HandlerMethodArgumentResolver {

        @Override
        public boolean supportsParameter(MethodParameter parameter) {
            return parameter.getParameterType() == Caller.class;
        }

        @Override
        public Object resolveArgument(
                MethodParameter parameter,
                @Nullable ModelAndViewContainer container,
                NativeWebRequest request,
                @Nullable WebDataBinderFactory binders) {
            if (SecurityContextHolder.getContext().getAuthentication() instanceof JwtAuthenticationToken token) {
                return Caller.of(token.getToken());
            }
            throw new IllegalStateException("a route without authentication asks who is calling");
        }
    }
}
