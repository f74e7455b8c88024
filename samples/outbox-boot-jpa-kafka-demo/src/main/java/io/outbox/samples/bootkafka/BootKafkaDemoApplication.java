package io.outbox.samples.bootkafka;

import io.outbox.testbrokers.KafkaBroker;
import java.util.Map;
import org.apache.kafka.clients.admin.NewTopic;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/** An order service and its consumer. The outbox is configured in application.properties only. */
@SpringBootApplication
public class BootKafkaDemoApplication {

  private static final String SERVERS = "spring.kafka.bootstrap-servers";

  public static void main(String[] args) {
    ConfigurableApplicationContext application = start(args);
    try {
      application.getBean(Story.class).tell(System.out);
    } catch (Exception e) {
      System.out.flush();
      System.err.println("\nThe demo failed: " + e.getMessage());
      System.exit(1);
    }
    System.exit(SpringApplication.exit(application)); // the broker's threads would keep the JVM
  }

  static ConfigurableApplicationContext start(String... args) {
    return new SpringApplicationBuilder(BootKafkaDemoApplication.class)
        .initializers(BootKafkaDemoApplication::findKafka)
        .run(args);
  }

  /** Starts Kafka in this JVM, unless a property names another one. */
  private static void findKafka(ConfigurableApplicationContext application) {
    ConfigurableEnvironment environment = application.getEnvironment();
    if (!environment.containsProperty(SERVERS)) {
      Map<String, Object> found = Map.of(SERVERS, KafkaBroker.shared().bootstrapServers());
      environment.getPropertySources().addLast(new MapPropertySource("kafka", found));
    }
  }

  /** Spring Kafka creates the topic when the application starts. */
  @Bean
  NewTopic orderTopic() {
    return new NewTopic("shop.Order", 3, (short) 1);
  }
}
