package io.outbox.http;

import io.outbox.AsyncEventListener;
import io.outbox.EventEnvelope;
import io.outbox.testbrokers.PublisherContract;
import io.outbox.testbrokers.PublisherFixture;
import io.outbox.testbrokers.ReceivedMessage;
import io.outbox.testbrokers.TcpProxy;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Order;

@Order(1)
class HttpPublisherContractTest extends PublisherContract {

  private static final String REJECTED = "Rejected";

  @Override
  protected PublisherFixture open() throws Exception {
    return new HttpFixture();
  }

  private static final class HttpFixture implements PublisherFixture {

    private final Receiver receiver;
    private final TcpProxy proxy;
    private final HttpPublisher publisher;

    HttpFixture() throws IOException {
      receiver = new Receiver(HttpFixture::answer);
      proxy = TcpProxy.to("127.0.0.1", receiver.port());
      publisher =
          HttpPublisher.builder()
              .destination("http://127.0.0.1:" + proxy.port() + "/events/{eventType}")
              .build();
    }

    private static Receiver.Answer answer(ReceivedMessage message) {
      boolean rejected = REJECTED.equals(message.headers().get("outbox-event-type"));
      return Receiver.Answer.of(rejected ? 422 : 204);
    }

    @Override
    public AsyncEventListener publisher() {
      return publisher;
    }

    @Override
    public TcpProxy proxy() {
      return proxy;
    }

    @Override
    public List<ReceivedMessage> receive() throws InterruptedException {
      return receiver.receive();
    }

    @Override
    public EventEnvelope rejected() {
      return EventEnvelope.ofJson(REJECTED, "{}");
    }

    @Override
    public void close() {
      publisher.close();
      proxy.close();
      receiver.close();
    }
  }
}
