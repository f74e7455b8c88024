package io.outbox.spring.boot.console;

import io.outbox.console.ConsoleAccess;
import io.outbox.console.ConsoleRole;
import io.outbox.console.OutboxConsoleServlet;
import io.outbox.console.PayloadMask;
import io.outbox.jdbc.archive.EventArchive;
import io.outbox.operate.OutboxOperator;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.OutboxStore;
import io.outbox.spring.boot.OutboxAutoConfiguration;
import io.outbox.spring.boot.OutboxProperties;
import io.outbox.spring.boot.wiring.Archives;
import io.outbox.util.PrintableLogger;
import io.outbox.wiring.Property;
import jakarta.servlet.Servlet;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;

/**
 * The console below a path of a servlet application, if outbox-console is on the class path and
 * {@code outbox.console.enabled} is true. The application decides who may use it; users who are not
 * signed in see nothing.
 */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnClass({OutboxConsoleServlet.class, Servlet.class})
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnProperty("outbox.console.enabled")
@ConditionalOnBean(OutboxOperator.class)
@EnableConfigurationProperties(OutboxProperties.class)
public class OutboxConsoleAutoConfiguration {

  private static final Logger LOG = PrintableLogger.of(OutboxConsoleAutoConfiguration.class);

  OutboxConsoleAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean
  ConsoleAccess outboxConsoleAccess(OutboxProperties properties) {
    OutboxProperties.Console console = properties.console();
    ConsoleAccess signedIn = ConsoleAccess.ofPrincipal(console.operatorRole());
    ConsoleAccess stranger =
        switch (console.anonymous()) {
          case NONE -> request -> Optional.empty();
          case READ_ONLY -> anonymous(ConsoleRole.READ_ONLY, console);
          case OPERATOR -> anonymous(ConsoleRole.OPERATOR, console);
        };
    return request -> signedIn.userOf(request).or(() -> stranger.userOf(request));
  }

  private static ConsoleAccess anonymous(ConsoleRole role, OutboxProperties.Console console) {
    List<String> networks = console.anonymousNetworks();
    try {
      ConsoleAccess access = ConsoleAccess.anonymous(role, networks.toArray(String[]::new));
      LOG.log(
          Level.WARNING,
          "the outbox console admits everyone on this machine"
              + (networks.isEmpty() ? "" : " and from " + String.join(", ", networks))
              + ", without signing in, as "
              + role
              + " (outbox.console.anonymous)");
      return access;
    } catch (IllegalArgumentException e) {
      throw Property.invalid("outbox.console.anonymous-networks", e);
    }
  }

  @Bean
  @ConditionalOnMissingBean
  ConsoleLifecycle outboxConsoleLifecycle(
      Map<String, OutboxOperator> operators,
      ConsoleAccess access,
      ObjectProvider<PayloadMask> mask,
      ObjectProvider<EventArchive> archives,
      ObjectProvider<ConnectionProvider> connections,
      ObjectProvider<OutboxStore> stores,
      OutboxProperties properties) {
    OutboxConsoleServlet.Builder servlet =
        OutboxConsoleServlet.builder()
            .access(access)
            .payloadMask(mask.getIfAvailable(() -> PayloadMask.NONE));
    apply(properties.console(), servlet);
    operators.forEach(
        (name, operator) ->
            servlet.operator(
                nameOf(operators.size() == 1 ? properties.tableName() : name), operator));
    if (operators.size() == 1) {
      EventArchive archive =
          archives.getIfUnique(() -> archive(connections, stores, properties).orElse(null));
      if (archive != null) {
        servlet.archive(nameOf(properties.tableName()), archive);
      }
    }
    return new ConsoleLifecycle(servlet.build());
  }

  private static void apply(
      OutboxProperties.Console console, OutboxConsoleServlet.Builder servlet) {
    Property.applying(
        "outbox.console.refresh-interval",
        () -> servlet.refreshInterval(console.refreshInterval()));
    Property.applying(
        "outbox.console.allowed-hosts", () -> console.allowedHosts().forEach(servlet::allowedHost));
    if (console.environment() != null) {
      Property.applying(
          "outbox.console.environment",
          () -> servlet.environment(console.environment(), console.environmentColor()));
    }
    if (console.anonymous() != OutboxProperties.Anonymous.NONE) {
      servlet.allowedHost("localhost");
    }
  }

  /** The archive that the purge writes. */
  private static Optional<EventArchive> archive(
      ObjectProvider<ConnectionProvider> connections,
      ObjectProvider<OutboxStore> stores,
      OutboxProperties properties) {
    ConnectionProvider connection = connections.getIfUnique();
    OutboxStore store = stores.getIfUnique();
    return connection == null || store == null
        ? Optional.empty()
        : Archives.of(connection, store, properties);
  }

  /** A console is called what can stand in its addresses. */
  private static String nameOf(String name) {
    String allowed = name.replaceAll("[^A-Za-z0-9._-]", "-");
    return allowed.substring(0, Math.min(64, allowed.length()));
  }

  @Bean
  ServletRegistrationBean<OutboxConsoleServlet> outboxConsoleRegistration(
      ConsoleLifecycle console, OutboxProperties properties) {
    ServletRegistrationBean<OutboxConsoleServlet> registration =
        new ServletRegistrationBean<>(console.servlet(), path(properties) + "/*");
    registration.setName("outboxConsole");
    return registration;
  }

  private static String path(OutboxProperties properties) {
    String path = properties.console().path();
    if (path == null || !path.matches("(/[A-Za-z0-9._~-]+)+")) {
      throw Property.invalid(
          "outbox.console.path",
          new IllegalArgumentException(
              "it must begin with a slash and end without one, as in /outbox, but is " + path));
    }
    return path;
  }
}
