package io.outbox.spring.boot.console;

import io.outbox.console.OutboxConsoleServlet;
import org.springframework.context.SmartLifecycle;

/**
 * Ends what pages of the console watch before the web server waits for its requests to end, which
 * they never would.
 */
final class ConsoleLifecycle implements SmartLifecycle {

  private final OutboxConsoleServlet servlet;
  private volatile boolean running;

  ConsoleLifecycle(OutboxConsoleServlet servlet) {
    this.servlet = servlet;
  }

  OutboxConsoleServlet servlet() {
    return servlet;
  }

  @Override
  public void start() {
    servlet.resume();
    running = true;
  }

  @Override
  public void stop() {
    servlet.suspend();
    running = false;
  }

  @Override
  public boolean isRunning() {
    return running;
  }
}
