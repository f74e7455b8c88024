package com.example.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.dao.DuplicateKeyException;

/**
 * The way of a new user, as the README has it: an empty application, the dependency, {@code
 * spring.datasource.*}, a listener. This module has nothing else.
 */
@SpringBootTest
@ExtendWith(OutputCaptureExtension.class)
class NewUserTest {

  @Autowired Orders orders;

  @Test
  void anEventIsDelivered(CapturedOutput output) {
    orders.place("A-17");
    assertThatThrownBy(() -> orders.place("A-17")).isInstanceOf(DuplicateKeyException.class);

    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(output).contains("Thank you for order A-17"));
    assertThat(output).containsOnlyOnce("Thank you for order A-17");
  }
}
