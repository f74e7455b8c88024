package io.outbox.relay.broker;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.reactivestreams.FlowAdapters;
import software.amazon.awssdk.http.SdkHttpFullResponse;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.http.async.AsyncExecuteRequest;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;
import software.amazon.awssdk.http.async.SdkAsyncHttpResponseHandler;
import software.amazon.awssdk.http.async.SdkHttpContentPublisher;
import software.amazon.awssdk.utils.async.SimplePublisher;

/**
 * The JDK's HTTP client for the AWS SDK, whose own needs another Netty than the clients of other
 * brokers. Answers are read whole: those of SQS are small. Thread-safe.
 */
final class JdkAsyncHttpClient implements SdkAsyncHttpClient {

  /** The client sets these itself. */
  private static final Set<String> RESTRICTED =
      Set.of("connection", "content-length", "expect", "host", "upgrade");

  private final HttpClient client;
  private final Duration readTimeout;

  JdkAsyncHttpClient(Duration connectTimeout, Duration readTimeout) {
    this.client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(connectTimeout)
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();
    this.readTimeout = readTimeout;
  }

  @Override
  public CompletableFuture<Void> execute(AsyncExecuteRequest request) {
    CompletableFuture<HttpResponse<byte[]>> sent =
        client.sendAsync(message(request), BodyHandlers.ofByteArray());
    SdkAsyncHttpResponseHandler handler = request.responseHandler();
    CompletableFuture<Void> answered =
        sent.handle(
            (response, failure) -> {
              if (failure != null) {
                Throwable cause =
                    failure instanceof CompletionException ? failure.getCause() : failure;
                handler.onError(cause);
                throw new CompletionException(cause);
              }
              answer(handler, response);
              return null;
            });
    answered.whenComplete(
        (none, failure) -> {
          if (answered.isCancelled()) {
            sent.cancel(true);
          }
        });
    return answered;
  }

  private HttpRequest message(AsyncExecuteRequest request) {
    URI uri = request.request().getUri();
    HttpRequest.Builder builder =
        HttpRequest.newBuilder(uri)
            .timeout(readTimeout)
            .method(request.request().method().name(), body(request.requestContentPublisher()));
    request
        .request()
        .forEachHeader(
            (name, values) -> {
              if (!RESTRICTED.contains(name.toLowerCase(Locale.ROOT))) {
                values.forEach(value -> builder.header(name, value));
              }
            });
    return builder.build();
  }

  private static BodyPublisher body(SdkHttpContentPublisher content) {
    if (content == null) {
      return BodyPublishers.noBody();
    }
    var publisher = FlowAdapters.<ByteBuffer>toFlowPublisher(content);
    return content
        .contentLength()
        .map(
            length ->
                length == 0
                    ? BodyPublishers.noBody()
                    : BodyPublishers.fromPublisher(publisher, length))
        .orElseGet(() -> BodyPublishers.fromPublisher(publisher));
  }

  private static void answer(SdkAsyncHttpResponseHandler handler, HttpResponse<byte[]> response) {
    SdkHttpResponse.Builder headers =
        SdkHttpFullResponse.builder().statusCode(response.statusCode());
    response.headers().map().forEach(headers::putHeader);
    handler.onHeaders(headers.build());
    SimplePublisher<ByteBuffer> body = new SimplePublisher<>();
    handler.onStream(body);
    body.send(ByteBuffer.wrap(response.body()));
    body.complete();
  }

  @Override
  public void close() {
    // the JDK's client ends with its last reference
  }

  @Override
  public String clientName() {
    return "Jdk";
  }
}
