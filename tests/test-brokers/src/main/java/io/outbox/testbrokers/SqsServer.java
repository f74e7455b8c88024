package io.outbox.testbrokers;

import io.outbox.testdb.Ports;
import java.net.URI;
import org.elasticmq.rest.sqs.SQSRestServer;
import org.elasticmq.rest.sqs.SQSRestServerBuilder;

/** ElasticMQ in this JVM, which talks as Amazon SQS does. */
public final class SqsServer {

  private static URI uri;

  private SqsServer() {}

  /** Its address, with host and port; started on first use. */
  public static synchronized URI uri() {
    if (uri == null) {
      int port = Ports.unused();
      SQSRestServer server = SQSRestServerBuilder.withPort(port).withInterface("127.0.0.1").start();
      server.waitUntilStarted();
      Runtime.getRuntime().addShutdownHook(new Thread(server::stopAndWait, "stop-sqs"));
      uri = URI.create("http://127.0.0.1:" + port);
    }
    return uri;
  }
}
