package io.outbox.console;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** Sends what it is told, byte for byte: also a Host that no library lets through. */
final class TestClient {

  private final URI console;
  private final Map<String, String> headers = new LinkedHashMap<>();

  TestClient(OutboxConsole console) {
    this.console = console.url();
    headers.put("Host", this.console.getAuthority());
    headers.put("X-Outbox-Console", "1");
    headers.put("Content-Type", "application/json");
  }

  private TestClient(TestClient other) {
    this.console = other.console;
    this.headers.putAll(other.headers);
  }

  /** The same with another header; null leaves it out. */
  TestClient with(String name, String value) {
    TestClient other = new TestClient(this);
    if (value == null) {
      other.headers.remove(name);
    } else {
      other.headers.put(name, value);
    }
    return other;
  }

  record Answer(int status, String head, String body) {

    JsonObject json() {
      return JsonParser.parseString(body).getAsJsonObject();
    }

    String message() {
      return json().get("message").getAsString();
    }

    String header(String name) {
      return head.lines()
          .filter(line -> line.regionMatches(true, 0, name + ":", 0, name.length() + 1))
          .map(line -> line.substring(name.length() + 1).trim())
          .findFirst()
          .orElse(null);
    }
  }

  Answer get(String path) {
    return send("GET", path, "");
  }

  Answer post(String path, String body) {
    return send("POST", path, body);
  }

  Answer send(String method, String path, String body) {
    try (Socket socket = open(method, path, body)) {
      String all = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int end = all.indexOf("\r\n\r\n");
      return new Answer(
          Integer.parseInt(all.substring(9, 12)), all.substring(0, end), all.substring(end + 4));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** An answer that lasts, to be read line by line. */
  InputStream watch(String path) throws IOException {
    return open("GET", path, "").getInputStream();
  }

  Socket open(String method, String path, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    StringBuilder head = new StringBuilder(method + " " + path + " HTTP/1.1\r\n");
    headers.forEach((name, value) -> head.append(name + ": " + value + "\r\n"));
    head.append("Connection: close\r\nContent-Length: " + bytes.length + "\r\n\r\n");
    Socket socket = new Socket("localhost", console.getPort());
    socket.setSoTimeout(60_000);
    socket.getOutputStream().write(head.toString().getBytes(StandardCharsets.UTF_8));
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
    return socket;
  }
}
