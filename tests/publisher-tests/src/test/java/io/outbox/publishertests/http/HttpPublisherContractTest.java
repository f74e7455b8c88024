package io.outbox.publishertests.http;

import io.outbox.AsyncEventListener;
import io.outbox.EventEnvelope;
import io.outbox.http.HttpPublisher;
import io.outbox.testbrokers.PublisherContract;
import io.outbox.testbrokers.PublisherFixture;
import io.outbox.testbrokers.ReceivedMessage;
import io.outbox.testbrokers.TcpProxy;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
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
    private final AtomicInteger arrived = new AtomicInteger();
    private volatile boolean created;

    HttpFixture() throws IOException {
      receiver = new Receiver(this::answer);
      proxy = TcpProxy.to("127.0.0.1", receiver.port());
      publisher =
          HttpPublisher.builder()
              .destination("http://127.0.0.1:" + proxy.port() + "/events/{eventType}")
              .outageStatuses(404, 410)
              .build();
    }

    private Receiver.Answer answer(ReceivedMessage message) {
      String type = message.headers().get("outbox-event-type");
      if (type.equals(NOWHERE)) {
        if (!created) {
          return Receiver.Answer.of(404);
        }
        arrived.incrementAndGet();
      }
      return Receiver.Answer.of(type.equals(REJECTED) ? 422 : 204);
    }

    @Override
    public Missing missing() {
      return new Missing() {
        @Override
        public void create() {
          created = true;
        }

        @Override
        public long arrived() {
          return arrived.get();
        }
      };
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
