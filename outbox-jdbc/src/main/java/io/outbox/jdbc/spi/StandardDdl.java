package io.outbox.jdbc.spi;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The tables in standard SQL. */
final class StandardDdl {

  static final String TEXT = read("schema/outbox-standard.sql");

  private StandardDdl() {}

  private static String read(String resource) {
    try (InputStream in = StandardDdl.class.getModule().getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException(resource + " is missing in the outbox-jdbc jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + resource, e);
    }
  }
}
