package io.outbox.console.internal.http;

import com.google.gson.JsonElement;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** What the console answers. */
public sealed interface Response {

  int status();

  Map<String, String> headers();

  /** The same with one more header. */
  Response with(String name, String value);

  /** The same without a body, as HEAD wants it. */
  Response withoutBody();

  static Whole json(int status, JsonElement body) {
    return new Whole(
        status,
        Map.of("Content-Type", "application/json; charset=utf-8", "Cache-Control", "no-store"),
        body.toString().getBytes(StandardCharsets.UTF_8));
  }

  static Whole json(JsonElement body) {
    return json(200, body);
  }

  /** One with a body that is known. Its array is not copied. */
  record Whole(int status, Map<String, String> headers, byte[] body) implements Response {
    @Override
    public Whole with(String name, String value) {
      return new Whole(status, added(headers, name, value), body);
    }

    @Override
    public Whole withoutBody() {
      return new Whole(status, headers, new byte[0]);
    }
  }

  /** One whose body is written as long as somebody reads it, by {@link Body#writeTo}. */
  record Live(Map<String, String> headers, Body body) implements Response {
    @Override
    public int status() {
      return 200;
    }

    @Override
    public Live with(String name, String value) {
      return new Live(added(headers, name, value), body);
    }

    @Override
    public Whole withoutBody() {
      body.close();
      return new Whole(status(), headers, new byte[0]);
    }
  }

  /** One that is only looked for after a while, in which no thread waits. */
  record Later(Duration delay, Supplier<Response> answer) implements Response {
    @Override
    public int status() {
      return 200;
    }

    @Override
    public Map<String, String> headers() {
      return Map.of();
    }

    @Override
    public Later with(String name, String value) {
      return new Later(delay, () -> answer.get().with(name, value));
    }

    @Override
    public Later withoutBody() {
      return new Later(delay, () -> answer.get().withoutBody());
    }
  }

  /** Written until it ends by itself or by {@link #close}, of which one must be called. */
  interface Body extends AutoCloseable {
    void writeTo(OutputStream out) throws IOException;

    @Override
    void close();
  }

  private static Map<String, String> added(Map<String, String> headers, String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(name, value);
    return more;
  }
}
