package io.outbox.sql;

import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testdb.Database;
import io.outbox.testing.RecordingListener;
import javax.sql.DataSource;
import org.apache.ibatis.session.SqlSessionFactory;
import org.mybatis.spring.SqlSessionFactoryBean;
import org.mybatis.spring.SqlSessionTemplate;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application on Spring Boot, with jOOQ and MyBatis. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class SpringLibrary {

  static ConfigurableApplicationContext start(Database database) {
    return new SpringApplicationBuilder(SpringLibrary.class)
        .properties(
            "spring.datasource.url=" + database.jdbcUrl(),
            "spring.datasource.username=" + database.user(),
            "spring.datasource.password=" + database.password(),
            "outbox.schema.initialize=always")
        .run();
  }

  @Bean
  RecordingListener delivered() {
    return new RecordingListener();
  }

  @Bean
  DefaultListenerRegistry listeners(RecordingListener delivered) {
    return new DefaultListenerRegistry().registerDefault(delivered);
  }

  // snippet: mybatis-spring
  @Bean
  SqlSessionFactoryBean sqlSessionFactory(DataSource dataSource) {
    SqlSessionFactoryBean factory = new SqlSessionFactoryBean();
    factory.setDataSource(dataSource); // the one that the outbox has
    return factory;
  }

  // end

  @Bean
  SqlSessionTemplate sqlSession(SqlSessionFactory factory) {
    factory.getConfiguration().addMapper(OrderMapper.class);
    return new SqlSessionTemplate(factory);
  }
}
