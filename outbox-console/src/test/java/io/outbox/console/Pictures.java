package io.outbox.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.testbrowser.Browser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Pictures of pages, for a look and for the docs. */
final class Pictures {

  private static final Path MADE = Path.of("target", "screenshots");
  private static final Path DOCS = Path.of("..", "docs", "images");
  private static final String AGES_IN_THEIR_CARDS =
      "return [...document.querySelectorAll('.row-side, .row-more, .rows .button')].every((each) =>"
          + " each.getBoundingClientRect().right"
          + " <= each.closest('.card').getBoundingClientRect().right - 16)";
  private static final String NOTHING_BEYOND_THE_EDGE =
      "return document.documentElement.scrollWidth <= window.innerWidth";

  private final Browser browser;

  Pictures(Browser browser) {
    this.browser = browser;
  }

  /** Made, and copied to the docs if that is asked for. */
  void picture(String name) throws IOException {
    look(name);
    keep(name);
  }

  void look(String name) throws IOException {
    byte[] png = browser.screenshot();
    assertThat(png.length).as(name).isBetween(20_000, 300_000);
    Files.createDirectories(MADE);
    Files.write(MADE.resolve(name + ".png"), png);
  }

  void keep(String name) throws IOException {
    if (Boolean.getBoolean("outbox.docs.update")) {
      Files.createDirectories(DOCS);
      Files.copy(
          MADE.resolve(name + ".png"),
          DOCS.resolve(name + ".png"),
          StandardCopyOption.REPLACE_EXISTING);
    }
  }

  void assertIsTidy() {
    assertThat(browser.script(AGES_IN_THEIR_CARDS)).isEqualTo(true);
    assertThat(browser.script(NOTHING_BEYOND_THE_EDGE)).isEqualTo(true);
  }
}
