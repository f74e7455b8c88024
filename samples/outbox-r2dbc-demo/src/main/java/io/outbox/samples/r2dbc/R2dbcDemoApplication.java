package io.outbox.samples.r2dbc;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.Outbox;
import io.outbox.r2dbc.R2dbcOutbox;
import io.outbox.r2dbc.ReactiveOutboxWriter;
import io.outbox.r2dbc.SpringR2dbcOutboxWriter;
import io.outbox.spi.OutboxStore;
import io.r2dbc.spi.ConnectionFactory;
import javax.sql.DataSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** Orders by R2DBC, and an outbox that delivers their events. */
@SpringBootApplication
class R2dbcDemoApplication {

  public static void main(String[] args) {
    boolean right;
    try (ConfigurableApplicationContext context =
        SpringApplication.run(R2dbcDemoApplication.class, args)) {
      right = context.getBean(Story.class).tell();
    }
    if (!right) {
      System.exit(1);
    }
  }

  /** For delivery; beside a ConnectionFactory, Spring Boot makes none. */
  @Bean(destroyMethod = "close")
  DataSource dataSource() {
    HikariDataSource dataSource = new HikariDataSource();
    dataSource.setJdbcUrl("jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1");
    dataSource.setUsername("sa");
    return dataSource;
  }

  @Bean
  ReactiveOutboxWriter reactiveOutboxWriter(
      Outbox outbox, OutboxStore store, ConnectionFactory connectionFactory) {
    return new SpringR2dbcOutboxWriter(new R2dbcOutbox(outbox, store), connectionFactory);
  }
}
