package io.outbox.relay.yaml;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Values from outside the file: {@code ${NAME}} of the environment, {@code ${NAME:-otherwise}} and
 * {@code ${file:/path}}; <code>$$&#123;</code> is a dollar sign and a brace. A value from a file is
 * a secret.
 */
public final class Variables {

  private static final Pattern REFERENCE = Pattern.compile("\\$(\\$\\{|\\{([^}]*)})");
  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
  private static final String FILE = "file:";
  private static final String OTHERWISE = ":-";
  private static final int MAX_FILE_BYTES = 65_536;

  /**
   * A text with its values.
   *
   * @param parts the values that came from outside
   */
  record Expanded(String text, List<String> parts) {}

  private final UnaryOperator<String> environment;
  private final Secrets secrets;

  /**
   * @param environment null for a name that is not set
   */
  public Variables(UnaryOperator<String> environment, Secrets secrets) {
    this.environment = Objects.requireNonNull(environment, "environment");
    this.secrets = Objects.requireNonNull(secrets, "secrets");
  }

  Secrets secrets() {
    return secrets;
  }

  /**
   * Puts values in.
   *
   * @throws IllegalArgumentException if there is none
   */
  Expanded expand(String text) {
    List<String> parts = new ArrayList<>();
    Matcher matcher = REFERENCE.matcher(text);
    StringBuilder expanded = new StringBuilder();
    while (matcher.find()) {
      String value = "${";
      if (matcher.group(2) != null) {
        value = valueOf(matcher.group(2));
        parts.add(value);
      }
      matcher.appendReplacement(expanded, Matcher.quoteReplacement(value));
    }
    matcher.appendTail(expanded);
    return new Expanded(expanded.toString(), parts);
  }

  private String valueOf(String reference) {
    if (reference.startsWith(FILE)) {
      String content = content(reference.substring(FILE.length()));
      secrets.add(content);
      return content;
    }
    int at = reference.indexOf(OTHERWISE);
    String name = at < 0 ? reference : reference.substring(0, at);
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "${"
              + reference
              + "} is neither ${NAME} of the environment nor ${file:/path}; write $${ for the"
              + " characters themselves");
    }
    String value = environment.apply(name);
    if (value != null) {
      return value;
    }
    if (at >= 0) {
      return reference.substring(at + OTHERWISE.length());
    }
    throw new IllegalArgumentException(
        "the environment variable " + name + " is not set; ${" + name + ":-…} has a default");
  }

  private static String content(String path) {
    // Some files, such as those of devices, do not know their size.
    try (InputStream file = Files.newInputStream(Path.of(path))) {
      byte[] bytes = file.readNBytes(MAX_FILE_BYTES + 1);
      if (bytes.length > MAX_FILE_BYTES) {
        throw new IllegalArgumentException(
            "the file " + path + " has more than " + MAX_FILE_BYTES + " bytes");
      }
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString().stripTrailing();
    } catch (NoSuchFileException | InvalidPathException e) {
      throw new IllegalArgumentException("there is no file " + path);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "the file " + path + " cannot be read: " + e.getClass().getSimpleName());
    }
  }
}
