package io.outbox.console.internal.server;

import io.outbox.console.internal.http.JsonBody;
import io.outbox.console.internal.http.Response;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;

/** Reads whole requests and writes whole answers; no thread waits for either. */
final class Answering extends Handler.Abstract {

  private static final byte[] NOTHING = {};
  private static final long MAX_UNREAD = 64L * 1024 * 1024;
  private static final int SMALL = 64 * 1024;
  private static final String BUSY =
      "{\"message\":\"Too many large answers are being read already. Try again.\"}";

  private final Function<io.outbox.console.internal.http.Request, Response> application;
  private final WaitingConnections waiting;
  private final Streams streams;
  private final Executor threads;
  private final Scheduler scheduler;
  private final AtomicLong unread = new AtomicLong();

  Answering(
      Function<io.outbox.console.internal.http.Request, Response> application,
      WaitingConnections waiting,
      Streams streams,
      Executor threads,
      Scheduler scheduler) {
    this.application = application;
    this.waiting = waiting;
    this.streams = streams;
    this.threads = threads;
    this.scheduler = scheduler;
  }

  @Override
  public boolean handle(
      Request request, org.eclipse.jetty.server.Response response, Callback callback) {
    if (!request.getMethod().equals("POST")) {
      answer(new Asked(request, NOTHING), response, callback);
    } else {
      new WholeBody(
              request,
              JsonBody.MAX_BYTES,
              content -> answer(new Asked(request, content), response, callback),
              callback::failed)
          .run();
    }
    return true;
  }

  private void answer(Asked asked, org.eclipse.jetty.server.Response out, Callback callback) {
    Connection connection = asked.request().getConnectionMetaData().getConnection();
    waiting.goesOn(connection);
    Request.addCompletionListener(asked.request(), problem -> waiting.waits(connection));
    try {
      send(application.apply(asked), out, callback);
    } catch (RuntimeException | Error e) {
      callback.failed(e);
    }
  }

  private void send(Response answer, org.eclipse.jetty.server.Response out, Callback callback) {
    if (answer instanceof Response.Later later) {
      scheduler.schedule(
          () -> threads.execute(() -> sendLater(later, out, callback)),
          later.delay().toMillis(),
          TimeUnit.MILLISECONDS);
      return;
    }
    out.setStatus(answer.status());
    answer.headers().forEach((name, value) -> out.getHeaders().put(name, value));
    if (answer instanceof Response.Live live) {
      streams.write(
          live.body(), Content.Sink.asOutputStream(out), problem -> complete(callback, problem));
    } else if (answer instanceof Response.Whole whole) {
      write(whole.body(), out, callback);
    }
  }

  /** Answers that nobody reads stay in memory, which must not become full of them. */
  private void write(byte[] body, org.eclipse.jetty.server.Response out, Callback callback) {
    if (unread.addAndGet(body.length) > MAX_UNREAD && body.length > SMALL) {
      unread.addAndGet(-body.length);
      out.setStatus(503);
      out.getHeaders().remove(HttpHeader.CONTENT_DISPOSITION);
      out.write(true, ByteBuffer.wrap(BUSY.getBytes(StandardCharsets.UTF_8)), callback);
      return;
    }
    if (body.length > 0) {
      out.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.length);
    }
    out.write(
        true, ByteBuffer.wrap(body), Callback.from(callback, () -> unread.addAndGet(-body.length)));
  }

  private void sendLater(
      Response.Later later, org.eclipse.jetty.server.Response out, Callback callback) {
    try {
      send(later.answer().get(), out, callback);
    } catch (RuntimeException | Error e) {
      callback.failed(e);
    }
  }

  private static void complete(Callback callback, Exception problem) {
    if (problem == null) {
      callback.succeeded();
    } else {
      callback.failed(problem);
    }
  }
}
