package io.outbox.testbrokers;

import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/** The one server of its kind in this JVM: one that is named, or else one that is started. */
final class SharedServer {

  /** Starts a server of a program that is there. */
  interface Starter {
    URI start(Path program);
  }

  private final String broker;
  private final String variable;
  private final String program;
  private final int defaultPort;
  private final Starter starter;
  private URI uri;
  private RuntimeException failure;

  SharedServer(String broker, String variable, String program, int defaultPort, Starter starter) {
    this.broker = broker;
    this.variable = variable;
    this.program = program;
    this.defaultPort = defaultPort;
    this.starter = starter;
  }

  /**
   * The server, with host and port.
   *
   * @throws org.opentest4j.TestAbortedException if there is none, which leaves the test out
   */
  synchronized URI uri() {
    if (failure != null) {
      throw failure;
    }
    if (uri == null) {
      try {
        uri = find();
        LeftOut.forget(broker);
      } catch (RuntimeException e) {
        failure = e;
        throw e;
      }
    }
    return uri;
  }

  private URI find() {
    String named = System.getenv(variable);
    if (named != null && !named.isBlank()) {
      return withPort(URI.create(named.strip()));
    }
    Optional<Path> found = Programs.find(program);
    if (found.isEmpty()) {
      throw LeftOut.because(
          broker, "there is no " + program + " on the PATH and " + variable + " names no server");
    }
    return starter.start(found.get());
  }

  private URI withPort(URI named) {
    if (named.getHost() == null) {
      throw new IllegalStateException(variable + " names no host: " + named);
    }
    if (named.getPort() >= 0) {
      return named;
    }
    String authority = named.getRawAuthority() + ":" + defaultPort;
    return URI.create(named.toString().replaceFirst("//[^/]*", "//" + authority));
  }
}
