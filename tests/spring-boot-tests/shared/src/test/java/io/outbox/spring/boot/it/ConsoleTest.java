package io.outbox.spring.boot.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.console.OutboxConsoleServlet;
import io.outbox.console.PayloadMask;
import io.outbox.model.EventStatus;
import io.outbox.operate.EventFilter;
import io.outbox.operate.OperatorAction;
import io.outbox.operate.OutboxOperator;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher;

/** The console below a path of the application. */
class ConsoleTest {

  private static final String API = "/outbox/api/outboxes/outbox_event/";

  private final HttpClient client = HttpClient.newHttpClient();

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Protected {
    // snippet: boot-console-security
    @Bean
    SecurityFilterChain consoleSecurity(HttpSecurity http) throws Exception {
      // of all servlets: a plain "/outbox/**" would be looked for below Spring MVC only
      var console = PathPatternRequestMatcher.withDefaults().matcher("/outbox/**");
      return http.securityMatcher(console)
          .authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
          .httpBasic(Customizer.withDefaults()) // or as your application signs its users in
          .csrf(csrf -> csrf.disable()) // the console refuses other sites itself
          .build();
    }

    // end

    @Bean
    UserDetailsService users() {
      return new InMemoryUserDetailsManager(
          User.withUsername("ann").password("{noop}ann").roles("OUTBOX_OPERATOR").build(),
          User.withUsername("bob").password("{noop}bob").roles("SUPPORT").build());
    }

    // snippet: boot-console-mask
    @Bean
    PayloadMask payloadMask() {
      return event ->
          event.eventType().startsWith("Card")
              ? PayloadMask.Content.HIDDEN
              : PayloadMask.Content.of(event);
    }
    // end
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Open {
    @Bean
    SecurityFilterChain open(HttpSecurity http) throws Exception {
      return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
          .csrf(csrf -> csrf.disable())
          .build();
    }
  }

  private static ConfigurableApplicationContext start(Class<?> application, String... properties) {
    List<String> arguments = new ArrayList<>(List.of(properties));
    // stronger than the test's application.properties
    arguments.add("--spring.main.web-application-type=servlet");
    return new SpringApplicationBuilder(application)
        .properties(
            "server.port=0",
            "outbox.console.enabled=true",
            "outbox.mode=writer-only",
            "spring.datasource.url=" + Outboxes.inMemory())
        .run(arguments.toArray(String[]::new));
  }

  private HttpRequest.Builder request(ConfigurableApplicationContext context, String path) {
    String port = context.getEnvironment().getProperty("local.server.port");
    return HttpRequest.newBuilder(URI.create("http://localhost:" + port + path));
  }

  private static String basic(String user) {
    return "Basic "
        + Base64.getEncoder().encodeToString((user + ":" + user).getBytes(StandardCharsets.UTF_8));
  }

  private HttpResponse<String> get(ConfigurableApplicationContext context, String user, String path)
      throws Exception {
    HttpRequest.Builder request = request(context, path);
    if (user != null) {
      request.header("Authorization", basic(user));
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private HttpResponse<String> replay(
      ConfigurableApplicationContext context, String user, String id) throws Exception {
    return client.send(
        request(context, API + "actions")
            .header("Authorization", basic(user))
            .header("Content-Type", "application/json")
            .header("X-Outbox-Console", "1")
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    "{\"action\":\"replay\",\"ids\":[\"" + id + "\"]}"))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private static String deadEvent(ConfigurableApplicationContext context) {
    Outboxes.write(context, "CardCharged", "{\"card\":\"4111\"}");
    OutboxOperator operator = context.getBean(OutboxOperator.class);
    String id = operator.search(EventFilter.ALL, null, 1).events().get(0).eventId();
    operator.perform(new OperatorAction.Kill("broken"), id);
    return id;
  }

  @Test
  void usersOfTheApplicationLookAndThoseInTheRoleAct() throws Exception {
    try (ConfigurableApplicationContext context =
        start(Protected.class, "--outbox.purge.archive.to=table")) {
      assertThat(get(context, "bob", API + "archive").body())
          .isEqualTo("{\"configured\":true}"); // its table is created with the purge
      String id = deadEvent(context);

      assertThat(get(context, null, "/outbox/").statusCode()).isEqualTo(401);
      assertThat(get(context, "bob", "/outbox/").body()).contains("Outbox console");
      assertThat(get(context, "bob", "/outbox/assets/app.js").statusCode()).isEqualTo(200);
      assertThat(get(context, "bob", "/outbox/api/session").body())
          .contains("\"user\":\"bob\"", "\"role\":\"READ_ONLY\"", "[\"outbox_event\"]");
      assertThat(get(context, "ann", "/outbox/api/session").body()).contains("\"OPERATOR\"");
      assertThat(get(context, "bob", API + "events?status=DEAD").body()).contains(id, "broken");
      assertThat(get(context, "bob", API + "event?id=" + id).body())
          .contains("\"kind\":\"hidden\"")
          .doesNotContain("4111");

      assertThat(replay(context, "bob", id).statusCode()).isEqualTo(403);
      assertThat(replay(context, "ann", id).body()).isEqualTo("{\"changed\":1}");
      assertThat(Outboxes.counts(context)).isEqualTo(Map.of(EventStatus.NEW, 1));
      assertThat(get(context, "ann", API + "audit").body()).contains("\"who\":\"ann\"");
    }
  }

  @Test
  void thePageIsFoundWithoutTheSlashAtItsEnd() throws Exception {
    try (ConfigurableApplicationContext context =
        start(
            Open.class,
            "--outbox.console.path=/ops/outbox",
            "--server.servlet.context-path=/app")) {
      HttpResponse<String> moved = get(context, null, "/app/ops/outbox");

      assertThat(moved.statusCode()).isEqualTo(302);
      assertThat(moved.headers().firstValue("Location").orElseThrow()).endsWith("/app/ops/outbox/");
      assertThat(get(context, null, "/app/ops/outbox/").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void whoIsNotSignedInGetsNothingUnlessThatIsSaid() throws Exception {
    try (ConfigurableApplicationContext context = start(Open.class)) {
      assertThat(get(context, null, API + "events").statusCode()).isEqualTo(403);
    }
    try (ConfigurableApplicationContext context =
        start(Open.class, "--outbox.console.anonymous=read-only")) {
      assertThat(get(context, null, API + "events").statusCode()).isEqualTo(200);
      assertThat(get(context, null, "/outbox/api/session").body()).contains("READ_ONLY");
    }
  }

  /** A page of another site could else point a name of its own here, and read (DNS rebinding). */
  @Test
  void whoIsNotSignedInGetsInOnlyByANameThatIsAllowed() throws Exception {
    try (ConfigurableApplicationContext context =
        start(Open.class, "--outbox.console.anonymous=read-only")) {
      assertThat(statusUnder("elsewhere.example.org", context)).isEqualTo(421);
      assertThat(statusUnder("LocalHost", context)).isEqualTo(200);
    }
    try (ConfigurableApplicationContext context =
        start(
            Open.class,
            "--outbox.console.anonymous=read-only",
            "--outbox.console.allowed-hosts=ops.example.org")) {
      assertThat(statusUnder("elsewhere.example.org", context)).isEqualTo(421);
      assertThat(statusUnder("ops.example.org:8080", context)).isEqualTo(200);
      assertThat(statusUnder("127.0.0.1", context)).isEqualTo(200);
    }
  }

  /**
   * Else anybody gets in who sends Host: localhost to a proxy before it. Once Tomcat has believed
   * headers of its own neighbors (native), nobody can tell who really sent a request.
   */
  @Test
  void whoIsNotSignedInGetsInFromThisMachineOnly() throws Exception {
    for (String strategy : List.of("none", "framework", "native")) {
      try (ConfigurableApplicationContext context =
          start(
              Open.class,
              "--outbox.console.anonymous=operator",
              "--server.forward-headers-strategy=" + strategy)) {
        assertThat(statusUnder("localhost", context))
            .as(strategy)
            .isEqualTo(strategy.equals("native") ? 403 : 200);
        for (String client : List.of("192.0.2.1", "127.0.0.1")) {
          assertThat(statusUnder("localhost\r\nX-Forwarded-For: " + client, context))
              .as(strategy + " " + client)
              .isEqualTo(403);
        }
      }
    }
    assertThatThrownBy(
            () ->
                start(
                    Open.class,
                    "--outbox.console.anonymous=operator",
                    "--outbox.console.anonymous-networks=intranet"))
        .rootCause()
        .hasMessageContaining("intranet");
  }

  @Test
  void aHostThatCouldNeverBeCalledEndsTheStart() {
    for (String wrong : List.of("ops.example.org:8080", "https://ops.example.org", "::1")) {
      assertThatThrownBy(() -> start(Open.class, "--outbox.console.allowed-hosts=" + wrong))
          .rootCause()
          .hasMessageContaining(wrong);
    }
  }

  /** By hand: the client sends no other Host than that of the address. */
  private static int statusUnder(String host, ConfigurableApplicationContext context)
      throws IOException {
    int port = context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    try (Socket socket = new Socket("localhost", port)) {
      socket.setSoTimeout(10_000);
      socket
          .getOutputStream()
          .write(
              "GET %sevents HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n"
                  .formatted(API, host)
                  .getBytes(StandardCharsets.US_ASCII));
      BufferedReader answer =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
      return Integer.parseInt(answer.readLine().split(" ")[1]);
    }
  }

  @Test
  void anApplicationDoesNotWaitForPagesThatWatchWhenItStops() throws Exception {
    long begun;
    BufferedReader page;
    try (ConfigurableApplicationContext context =
        start(Open.class, "--outbox.console.anonymous=read-only", "--server.shutdown=graceful")) {
      page =
          new BufferedReader(
              new InputStreamReader(
                  client
                      .send(
                          request(context, API + "live").build(),
                          HttpResponse.BodyHandlers.ofInputStream())
                      .body(),
                  StandardCharsets.UTF_8));
      String line = page.readLine();
      while (!line.equals("event: overview")) {
        line = page.readLine();
      }
      begun = System.nanoTime();
    }
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(25));
    assertThat(restOf(page)).isNotNull();
  }

  private static String restOf(BufferedReader page) throws IOException {
    StringBuilder rest = new StringBuilder();
    for (String line = page.readLine(); line != null; line = page.readLine()) {
      rest.append(line);
    }
    return rest.toString();
  }

  @Test
  void anApplicationWithoutAServletContainerHasNone() {
    Outboxes.runner()
        .withPropertyValues("outbox.console.enabled=true")
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThat(context).doesNotHaveBean(OutboxConsoleServlet.class);
              assertThat(context).doesNotHaveBean(ServletRegistrationBean.class);
            });
  }
}
