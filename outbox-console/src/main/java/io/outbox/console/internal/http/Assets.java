package io.outbox.console.internal.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.regex.Pattern;

/** The files of the page, from the class path. */
public final class Assets {

  private static final Pattern NAME =
      Pattern.compile("[a-z0-9-]+(/[a-z0-9-]+)*\\.(html|js|css|svg)");
  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "svg", "image/svg+xml");

  private record Asset(byte[] content, String type, String tag) {}

  private final ConcurrentMap<String, Asset> loaded = new ConcurrentHashMap<>();

  /** The file of this name, or that the browser has it already. */
  public Response serve(String name, Request request) {
    Asset asset = NAME.matcher(name).matches() ? find(name) : null;
    if (asset == null) {
      throw HttpFailure.notFound("This page does not exist.");
    }
    boolean known = asset.tag().equals(request.header("If-None-Match"));
    return new Response.Whole(
        known ? 304 : 200,
        Map.of("Content-Type", asset.type(), "ETag", asset.tag(), "Cache-Control", "no-cache"),
        known ? new byte[0] : asset.content());
  }

  private Asset find(String name) {
    Asset asset = loaded.get(name);
    if (asset == null) {
      asset = load(name);
      if (asset != null) {
        loaded.put(name, asset);
      }
    }
    return asset;
  }

  private static Asset load(String name) {
    try (InputStream in = Assets.class.getResourceAsStream("/io/outbox/console/assets/" + name)) {
      if (in == null) {
        return null;
      }
      byte[] content = in.readAllBytes();
      String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
      return new Asset(content, type, '"' + hash(content) + '"');
    } catch (IOException e) {
      throw new UncheckedIOException("the console's file " + name + " cannot be read", e);
    }
  }

  private static String hash(byte[] content) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(content);
      return HexFormat.of().formatHex(hash, 0, 12);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
