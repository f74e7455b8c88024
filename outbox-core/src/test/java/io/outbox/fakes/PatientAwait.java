package io.outbox.fakes;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Looks often, so that tests are quick, and waits long, so that a busy machine fails none. */
public final class PatientAwait implements BeforeAllCallback {

  @Override
  public void beforeAll(ExtensionContext context) {
    Awaitility.setDefaultPollDelay(Duration.ZERO);
    Awaitility.setDefaultPollInterval(Duration.ofMillis(5));
    Awaitility.setDefaultTimeout(Duration.ofSeconds(45));
  }
}
