package io.outbox.console.internal.http;

import io.outbox.console.ConsoleUser;
import java.io.InputStream;
import java.util.Optional;

/** Asks for the headers of what a GET would answer. */
public record HeadRequest(Request head) implements Request {

  @Override
  public String method() {
    return "GET";
  }

  @Override
  public String path() {
    return head.path();
  }

  @Override
  public String rawQuery() {
    return head.rawQuery();
  }

  @Override
  public String header(String name) {
    return head.header(name);
  }

  @Override
  public String scheme() {
    return head.scheme();
  }

  @Override
  public String remoteAddress() {
    return head.remoteAddress();
  }

  @Override
  public boolean isClientKnown() {
    return head.isClientKnown();
  }

  @Override
  public boolean isFromTrustedProxy() {
    return head.isFromTrustedProxy();
  }

  @Override
  public InputStream body() {
    return InputStream.nullInputStream();
  }

  @Override
  public Optional<ConsoleUser> signedIn() {
    return head.signedIn();
  }
}
