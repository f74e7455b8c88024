package io.outbox.console;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.lang.reflect.Proxy;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Who needs not sign in, in a servlet container: by the peer's address, never by a header. */
class AnonymousAccessTest {

  private final ConsoleAccess local = ConsoleAccess.anonymous(ConsoleRole.OPERATOR);
  private final ConsoleAccess office =
      ConsoleAccess.anonymous(ConsoleRole.READ_ONLY, "10.1.0.0/16", "fd00::/8");

  private static HttpServletRequest from(
      String peer, Map<String, String> headers, Map<String, Object> attributes) {
    return (HttpServletRequest)
        Proxy.newProxyInstance(
            AnonymousAccessTest.class.getClassLoader(),
            new Class<?>[] {HttpServletRequest.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "getRemoteAddr" -> peer;
                  case "getHeader" -> headers.get(arguments[0]);
                  case "getAttribute" -> attributes.get(arguments[0]);
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private static HttpServletRequest from(String peer) {
    return from(peer, Map.of("Host", "localhost"), Map.of());
  }

  @Test
  void thisMachineGetsIn() {
    for (String peer : new String[] {"127.0.0.1", "0:0:0:0:0:0:0:1", "::1"}) {
      assertThat(local.userOf(from(peer))).as(peer).isPresent();
    }
  }

  @Test
  void othersDoNotWhateverTheHostSays() {
    for (String peer : new String[] {"10.1.2.3", "192.0.2.1", "fe80::1", "localhost", ""}) {
      assertThat(local.userOf(from(peer))).as(peer).isEmpty();
    }
  }

  @Test
  void networksThatAreNamedDo() {
    assertThat(office.userOf(from("10.1.2.3"))).isPresent();
    assertThat(office.userOf(from("fd12::1"))).isPresent();
    assertThat(office.userOf(from("127.0.0.1"))).isPresent();
    assertThat(office.userOf(from("10.2.0.1"))).isEmpty();
  }

  @Test
  void aProxyOnThisMachineIsNotThisMachine() {
    for (String header :
        new String[] {"X-Forwarded-For", "Forwarded", "X-Real-IP", "X-Forwarded-Host", "Via"}) {
      assertThat(local.userOf(from("127.0.0.1", Map.of(header, "127.0.0.1"), Map.of()))).isEmpty();
    }
  }

  @Test
  void whatAFilterMakesOfAHeaderIsNotBelieved() {
    HttpServletRequest wrapped =
        new HttpServletRequestWrapper(from("192.0.2.1")) {
          @Override
          public String getRemoteAddr() {
            return "127.0.0.1";
          }
        };

    assertThat(local.userOf(wrapped)).isEmpty();
    assertThat(
            local.userOf(
                from("127.0.0.1", Map.of(), Map.of("org.apache.tomcat.request.forwarded", true))))
        .isEmpty();
  }
}
