package io.outbox.internal.json;

import io.outbox.PayloadParseException;
import java.util.Objects;

/** Makes of whatever a library for JSON throws what a codec promises to throw. */
public final class CodecFailures {

  private CodecFailures() {}

  /** A call of the library. */
  public interface Call<T> {
    T run() throws Exception;
  }

  /** Writes {@code obj}, or says with an {@link IllegalArgumentException} that it cannot. */
  public static String writing(Object obj, Call<String> call) {
    try {
      return call.run();
    } catch (Exception e) {
      String type = obj == null ? "null" : "a " + obj.getClass().getName();
      throw new IllegalArgumentException("cannot write " + type + " as JSON: " + e.getMessage(), e);
    }
  }

  /** Reads {@code json}, or says with a {@link PayloadParseException} that it cannot. */
  public static <T> T reading(String json, Class<T> type, Call<T> call) {
    Objects.requireNonNull(json, "json");
    try {
      return call.run();
    } catch (Exception e) {
      throw new PayloadParseException(
          "cannot read the JSON as " + type.getName() + ": " + e.getMessage(), e);
    }
  }
}
