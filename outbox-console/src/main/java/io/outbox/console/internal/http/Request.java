package io.outbox.console.internal.http;

import io.outbox.console.ConsoleUser;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/** What somebody asks the console. */
public interface Request {

  String method();

  /** Below the place where the console is mounted, decoded; begins with a slash, or is empty. */
  String path();

  /** May be null. */
  String rawQuery();

  /** Null if there is none of this name. */
  String header(String name);

  /** {@code http} or {@code https}, as the browser sees it. */
  default String scheme() {
    return "http";
  }

  String remoteAddress();

  /** Whether a proxy that is believed has passed it on. */
  default boolean isFromTrustedProxy() {
    return false;
  }

  /** Whether the remote address is of who sent it, not only of a proxy that passed it on. */
  default boolean isClientKnown() {
    return true;
  }

  InputStream body() throws IOException;

  /** Whom the server has signed in, if it does that. */
  default Optional<ConsoleUser> signedIn() {
    return Optional.empty();
  }
}
