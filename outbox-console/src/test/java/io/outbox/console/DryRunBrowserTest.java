package io.outbox.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.model.EventStatus;
import io.outbox.testbrowser.Browser;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Dry runs of a table that is too large to look at all of it. */
class DryRunBrowserTest {

  private final FakeOutbox fake = new FakeOutbox();
  private Browser browser;
  private OutboxConsole console;

  @BeforeEach
  void open() {
    browser = Browser.shared();
    console = OutboxConsole.builder().operator("orders", fake.operator()).port(0).build().start();
  }

  @AfterEach
  void close() {
    if (console != null) {
      browser.visit("about:blank");
      console.close();
    }
  }

  @Test
  void whatADryRunDidNotFindInItsTimeCanBeDoneAllTheSame() {
    fake.addMany(3, EventStatus.DONE);
    fake.scanLimited = true;
    browser.visit(console.url() + "#/orders/events?status=DONE&type=Legacy");
    browser.click("[data-bulk]");
    browser.click(".menu-item", "Purge all matching");

    browser.see(".dry-run", "None found yet");
    fake.add(fake.row("old", "Legacy", EventStatus.DONE).payloadJson("{}"));
    fake.scanLimited = false;
    browser.click("dialog .button.danger", "Purge all that match");

    browser.see(".job-title", "Finished");
    assertThat(fake.rows).hasSize(3).doesNotContainKey("old");
    assertThat(browser.complaints()).isEmpty();
  }
}
