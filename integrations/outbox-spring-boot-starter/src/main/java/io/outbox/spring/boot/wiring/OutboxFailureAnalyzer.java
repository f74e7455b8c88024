package io.outbox.spring.boot.wiring;

import io.outbox.wiring.OutboxConfigurationException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Tells the user what to change instead of showing a stack trace. */
final class OutboxFailureAnalyzer extends AbstractFailureAnalyzer<OutboxConfigurationException> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, OutboxConfigurationException cause) {
    return new FailureAnalysis(cause.problem(), cause.action(), cause);
  }
}
