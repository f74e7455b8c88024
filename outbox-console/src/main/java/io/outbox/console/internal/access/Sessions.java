package io.outbox.console.internal.access;

import io.outbox.console.ConsoleUser;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Who is signed in. There is room for so many; the one that was idle for longest gives way. */
final class Sessions {

  static final int MAX = 200;
  static final Duration LIFETIME = Duration.ofHours(12);

  private record Session(ConsoleUser user, Instant end) {}

  private final SecureRandom random = new SecureRandom();
  private final InstantSource clock;
  private final Map<String, Session> byId =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Session> eldest) {
          return size() > MAX;
        }
      };

  Sessions(InstantSource clock) {
    this.clock = clock;
  }

  synchronized String open(ConsoleUser user) {
    byte[] bytes = new byte[32];
    random.nextBytes(bytes);
    String id = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    byId.put(id, new Session(user, clock.instant().plus(LIFETIME)));
    return id;
  }

  synchronized Optional<ConsoleUser> userOf(String id) {
    Session session = byId.get(id);
    if (session != null && session.end().isBefore(clock.instant())) {
      byId.remove(id);
      session = null;
    }
    return Optional.ofNullable(session).map(Session::user);
  }

  synchronized void close(String id) {
    byId.remove(id);
  }
}
