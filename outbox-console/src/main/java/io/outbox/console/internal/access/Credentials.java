package io.outbox.console.internal.access;

import io.outbox.console.ConsoleRole;
import io.outbox.console.ConsoleUser;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Tokens and passwords. Only their hashes are kept, under a key of this process, and compared in a
 * time that does not tell how much of a guess was right. Filled before it is shared.
 */
public final class Credentials {

  static final int MIN_TOKEN = 16;
  static final int MIN_PASSWORD = 8;

  private record Login(ConsoleUser user, byte[] hash) {}

  private final SecretKeySpec key;
  private final byte[] nobody;
  private final Map<String, Login> passwords = new LinkedHashMap<>();
  private final Map<String, Login> tokens = new LinkedHashMap<>();

  public Credentials() {
    byte[] random = new byte[32];
    new SecureRandom().nextBytes(random);
    key = new SecretKeySpec(random, "HmacSHA256");
    nobody = hash("");
  }

  /** One without a name, for each role. */
  public void addToken(String token, ConsoleRole role) {
    addToken(role == ConsoleRole.OPERATOR ? "token" : "token-read-only", token, role);
  }

  public void addToken(String name, String token, ConsoleRole role) {
    if (token.length() < MIN_TOKEN) {
      throw new IllegalArgumentException(
          "a token must have at least " + MIN_TOKEN + " characters, best random ones");
    }
    if (tokens.containsKey(name)) {
      throw new IllegalArgumentException("there are two tokens of '" + name + "'");
    }
    if (byToken(token).isPresent()) {
      throw new IllegalArgumentException(
          "the token of '" + name + "' is somebody else's: the audit could not tell them apart");
    }
    tokens.put(name, new Login(new ConsoleUser(name, role), hash(token)));
  }

  public void addUser(ConsoleUser user, String password) {
    if (password.length() < MIN_PASSWORD) {
      throw new IllegalArgumentException(
          "the password of '" + user.name() + "' must have at least 8 characters");
    }
    if (passwords.containsKey(user.name())) {
      throw new IllegalArgumentException("there are two users '" + user.name() + "'");
    }
    passwords.put(user.name(), new Login(user, hash(password)));
  }

  public boolean isEmpty() {
    return passwords.isEmpty() && tokens.isEmpty();
  }

  Set<String> kinds() {
    Set<String> kinds = new LinkedHashSet<>();
    if (!passwords.isEmpty()) {
      kinds.add("password");
    }
    if (!tokens.isEmpty()) {
      kinds.add("token");
    }
    return kinds;
  }

  Optional<ConsoleUser> byToken(String token) {
    byte[] hash = hash(token);
    Optional<ConsoleUser> found = Optional.empty();
    for (Login login : tokens.values()) {
      if (MessageDigest.isEqual(login.hash(), hash)) {
        found = Optional.of(login.user());
      }
    }
    return found;
  }

  Optional<ConsoleUser> byPassword(String name, String password) {
    Login login = passwords.get(name);
    boolean right = MessageDigest.isEqual(login == null ? nobody : login.hash(), hash(password));
    return right && login != null ? Optional.of(login.user()) : Optional.empty();
  }

  private byte[] hash(String secret) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(key);
      return mac.doFinal(secret.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has HmacSHA256", e);
    }
  }
}
