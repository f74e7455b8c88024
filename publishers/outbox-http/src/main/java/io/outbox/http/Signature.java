package io.outbox.http;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Clock;
import java.util.HexFormat;
import java.util.Objects;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signs bodies, so that a receiver knows who sent them and when. Never shows its secret. */
final class Signature {

  static final String HEADER = "outbox-signature";

  private static final String ALGORITHM = "HmacSHA256";

  private final SecretKeySpec key;
  private final Clock clock;

  Signature(String secret, Clock clock) {
    if (Objects.requireNonNull(secret, "secret").isBlank()) {
      throw new IllegalArgumentException("the secret must not be blank");
    }
    this.key = new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), ALGORITHM);
    this.clock = clock;
  }

  String of(byte[] body) {
    long seconds = clock.instant().getEpochSecond();
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      mac.update((seconds + ".").getBytes(StandardCharsets.UTF_8));
      return "t=" + seconds + ",v1=" + HexFormat.of().formatHex(mac.doFinal(body));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java cannot sign with " + ALGORITHM, e);
    }
  }
}
