import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import java.util.HashSet;
import java.util.Set;

/**
 * The exchange and the queue that the packaged relay publishes to.
 *
 * <pre>java -cp outbox-cli.jar RabbitQueue.java declare|consume uri name events</pre>
 */
class RabbitQueue {

  public static void main(String[] args) throws Exception {
    String name = args[2];
    int events = Integer.parseInt(args[3]);
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(args[1]);
    try (Connection connection = factory.newConnection();
        var channel = connection.createChannel()) {
      if (args[0].equals("declare")) {
        channel.exchangeDeclare(name, "topic");
        channel.queueDeclare(name, true, false, false, null);
        channel.queueBind(name, name, "#");
        return;
      }
      Set<String> ids = new HashSet<>();
      int messages = 0;
      long end = System.nanoTime() + 60_000_000_000L;
      // a second more for those that must not come
      while (System.nanoTime() < end) {
        GetResponse message = channel.basicGet(name, true);
        if (message != null) {
          messages++;
          ids.add(message.getProps().getMessageId());
          if (ids.size() == events) {
            end = Math.min(end, System.nanoTime() + 1_000_000_000L);
          }
        } else {
          Thread.sleep(10);
        }
      }
      channel.queueDelete(name);
      channel.exchangeDelete(name);
      System.out.println(messages + " messages, " + ids.size() + " different event ids");
      if (messages != events || ids.size() != events) {
        System.err.println("FAILED: expected " + events + " of each");
        System.exit(1);
      }
    }
  }
}
