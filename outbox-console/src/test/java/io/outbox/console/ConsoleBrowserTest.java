package io.outbox.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import io.outbox.testbrowser.Browser;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** The page in a real browser, on an outbox that delivers. */
class ConsoleBrowserTest {

  private static final String ZONE =
      "return new Intl.DateTimeFormat('en-GB', {hour: '2-digit', timeZoneName: 'short'})"
          + ".formatToParts(new Date()).find((each) => each.type === 'timeZoneName').value";

  /** A replay that the page begins ends early, without ten thousand events. */
  private static final String LIMIT_OF_TWO =
      "const send = window.fetch; window.fetch = (path, options) => send(path,"
          + " path.endsWith('archive/jobs')"
          + " ? {...options, body: JSON.stringify({...JSON.parse(options.body), limit: 2})}"
          + " : options)";

  private static Browser browser;
  private Shop shop;

  @BeforeEach
  void open() {
    browser = Browser.shared();
  }

  @AfterEach
  void end() {
    if (shop != null) {
      browser.visit("about:blank");
      shop.close();
    }
  }

  private void openShop() {
    shop = new Shop(settings -> settings);
  }

  /** Written and dead. */
  private String deadEvent(String error) throws SQLException {
    EventEnvelope event =
        EventEnvelope.builder("PaymentCaptured")
            .aggregateType("Order")
            .aggregateId("A-17")
            .payloadJson("{\"order\": \"A-17\", \"cents\": 1999}")
            .build();
    shop.broken.put(event.eventId(), error);
    shop.write(event);
    await().atMost(Duration.ofSeconds(60)).until(() -> shop.count(EventStatus.DEAD) == 1);
    return event.eventId();
  }

  @Test
  void aDeadEventIsFoundByItsErrorReplayedAndSeenDone() throws SQLException {
    openShop();
    for (int i = 0; i < 20; i++) {
      shop.write(EventEnvelope.ofJson("OrderPlaced", "{}"));
    }
    String id = deadEvent("card declined by the bank");
    shop.broken.clear(); // the bank was called

    browser.visit(shop.url("overview"));
    browser.see(".tile[data-state=DEAD] .tile-value", "1");
    browser.see(".verdict", "1 dead event");
    browser.click(".error-row", "card declined by the bank");
    browser.see(".list-count", "1 event");
    assertThat(browser.address()).contains("errorPattern=").contains("card+declined");
    browser.click(".event-link", "PaymentCaptured");
    browser.see(".event-name .pill", "Dead");
    browser.see(".error-card", "card declined by the bank");
    assertThat(browser.see(".event-id-line").getText()).contains(id);

    browser.click("[data-action=replay]");
    browser.click("dialog .button.primary");

    browser.see(".event-name .pill", "Done");
    assertThat(shop.count(EventStatus.DONE)).isEqualTo(21);
    browser.visit(shop.url("activity"));
    browser.see(".audit-row", "replay id=" + id);
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void tenThousandEventsAreReplayedAfterADryRun() throws SQLException {
    openShop();
    shop.writeDead(10_000, "the warehouse is closed");

    browser.visit(shop.url("events?state=DEAD&error=warehouse"));
    browser.click("[data-bulk]");
    browser.click(".menu-item", "Replay all matching");
    // a dry run counts for a bounded time: on a slow machine it says "at least"
    assertThat(browser.see(".dry-run-count", "events would be replayed").getText())
        .matches("(10,000|[0-9,]+\\+) events would be replayed");
    assertThat(browser.visible(".sample li")).hasSize(10);
    assertThat(shop.count(EventStatus.DEAD)).isEqualTo(10_000);

    browser.click("dialog .button.primary", "Replay ");

    browser.see(".job-title", "Finished");
    assertThat(browser.see(".job-numbers").getText()).startsWith("10,000 ").endsWith("replayed");
    await().atMost(Duration.ofSeconds(60)).until(() -> shop.count(EventStatus.DONE) == 10_000);
    browser.click("dialog .button.primary", "Done");
    browser.see(".empty", "No event matches");
    browser.visit(shop.url("activity"));
    browser.see(".audit-row", "status=DEAD error~warehouse");
    browser.see(".audit-count", "10,000");
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void anEventFullOfMarkupIsShownAsText() throws SQLException {
    openShop();
    String script = "<script>window.hacked = 1</script>";
    String image = "<img src=x onerror='window.hacked = 2'>";
    EventEnvelope event =
        EventEnvelope.builder(script)
            .aggregateType("<b>bold</b>")
            .aggregateId("\"><svg onload=window.hacked=3>")
            .orderingKey(image)
            .header("<i>name</i>", image)
            .payloadJson("{\"a\": \"" + image + script + "\", \"b\": \"javascript:1\"}")
            .build();
    shop.broken.put(event.eventId(), image + script);
    shop.write(event, EventEnvelope.builder(script).orderingKey(image).payloadJson("1").build());
    await().atMost(Duration.ofSeconds(60)).until(() -> shop.count(EventStatus.DEAD) == 1);

    browser.visit(shop.url("overview"));
    browser.see(".error-text", (image + script).replaceAll("[0-9]+", "#"));
    browser.visit(shop.url("events"));
    browser.see(".event-link", script);
    browser.see(".error-line", image);
    browser.see(".cell-aggregate", "<b>bold</b>");
    browser.visit(shop.url("events?state=DEAD"));
    browser.click(".event-link", script);
    browser.see("h1", script);
    browser.see(".error-card .code", image + script);
    browser.see(".payload", "\"a\": \"" + image + script + "\"");
    browser.see(".facts.mono", "<i>name</i>");
    browser.see(".neighbors", script);
    browser.click(".tab", "Raw");
    browser.see(".payload", image + script);
    browser.click("[data-action=purge]");
    browser.click("dialog .button", "Cancel");

    assertThat(browser.script("return window.hacked")).isNull();
    assertThat(browser.script("return document.querySelectorAll('main img, main b i').length"))
        .isEqualTo(0L);
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void aReadOnlyUserLooksButCannotAct() throws SQLException {
    shop =
        new Shop(
            settings ->
                settings
                    .user("ann", "correct horse", ConsoleRole.OPERATOR)
                    .user("bob", "battery staple", ConsoleRole.READ_ONLY));
    String id = deadEvent("card declined");

    browser.visit(shop.url("events"));
    signIn("bob", "wrong password");
    browser.see(".notice.bad", "The name or the password is wrong.");
    signIn("bob", "battery staple");
    browser.see(".role", "read only");
    browser.see(".event-link", "PaymentCaptured");
    assertThat(browser.visible("[data-bulk], .event-row input")).isEmpty();
    browser.click(".event-link");
    browser.see(".error-card");
    assertThat(browser.visible("[data-action]")).isEmpty();
    browser.press("p"); // the key for replay
    assertThat(browser.visible("dialog")).isEmpty();

    Object answer =
        browser.asynchronous(
            "const answer = await fetch('api/outboxes/orders/actions', {method: 'POST',"
                + " headers: {'Content-Type': 'application/json', 'X-Outbox-Console': '1'},"
                + " body: JSON.stringify({action: 'replay', ids: ['"
                + id
                + "']})}); return answer.status + (await answer.json()).message;");
    assertThat(answer.toString()).startsWith("403").contains("bob may look, but not act");
    assertThat(shop.count(EventStatus.DEAD)).isOne();

    browser.click("[aria-label='Sign out']");
    browser.see("form.login");
    signIn("ann", "correct horse");
    browser.see("[data-action=replay]");
  }

  private static void signIn(String user, String password) {
    browser.type("input[name=user]", user);
    browser.type("input[name=password]", password);
    browser.click(".login .button.primary");
  }

  @Test
  void everythingIsDoneByKeyboard() throws SQLException {
    openShop();
    String id = deadEvent("card declined");
    shop.broken.clear();
    browser.visit(shop.url("overview"));
    browser.see(".tile[data-state=DEAD] .tile-value", "1");

    browser.press("?");
    browser.see("dialog", "Keyboard shortcuts");
    browser.press(Keys.ESCAPE);
    await().atMost(Duration.ofSeconds(60)).until(() -> browser.visible("dialog").isEmpty());
    browser.press("g", "e");
    browser.see(".event-link");
    browser.seeNo(".loading");
    browser.press("/");
    assertThat(browser.script("return document.activeElement.name")).isEqualTo("error");
    browser.press("declined", Keys.ENTER);
    browser.see(".chip", "declined");
    browser.seeNo(".loading");
    browser.see(".list-count", "1 event");
    browser.press(Keys.ESCAPE, "j");
    WebElement focused = browser.see(".event-link:focus");
    assertThat(focused.getCssValue("outline-style")).isEqualTo("solid");
    browser.press("x");
    browser.see(".list-count", "1 event selected");
    browser.press("x", "j");
    browser.enter();
    browser.see(".event-id-line", id);
    browser.press(Keys.ESCAPE);
    browser.see(".event-link");
    browser.seeNo(".loading");
    browser.press("j");
    browser.enter();
    browser.see("[data-action=replay]");
    browser.press("p");
    browser.see("dialog .button.primary");
    while (!browser.script("return document.activeElement.textContent").equals("Replay")) {
      browser.press(Keys.TAB);
    }
    browser.enter();

    browser.see(".event-name .pill", "Done");
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void filtersAreInTheAddressAndBackGoesBack() throws SQLException {
    openShop();
    deadEvent("card declined");
    shop.write(EventEnvelope.ofJson("OrderPlaced", "{}"));

    browser.visit(shop.url("events"));
    browser.see(".list-count", "2 events");
    browser.click(".segment", "Dead");
    browser.see(".list-count", "1 event");
    browser.click(".button", "Filters");
    browser.type("input[name=aggregateId]", "A-17");
    browser.enter();
    browser.see(".chip", "A-17");
    assertThat(browser.address()).contains("state=DEAD").contains("aggregateId=A-17");
    browser.visit(browser.address());
    browser.see(".list-count", "1 event");
    assertThat(browser.see("input[name=aggregateId]").getAttribute("value")).isEqualTo("A-17");
    browser.click(".chip");
    await().atMost(Duration.ofSeconds(60)).until(() -> !browser.address().contains("aggregateId"));
    browser.script("history.back()");
    browser.see(".chip", "A-17");
  }

  @Test
  void R24_anOutageIsSeenWithItsReasonAndTheEventsThatWaitForIt() throws SQLException {
    openShop();
    shop.outage = "no route to the <b>broker</b>";
    shop.write(EventEnvelope.ofJson("OrderPlaced", "{}"));

    browser.visit(shop.url("overview"));
    browser.see(".verdict", "listener Shop for OrderPlaced is down");
    browser.see(".watch", "no route to the <b>broker</b>");
    browser.visit(shop.url("events"));
    browser.see(".cell-error", "waits for listener Shop");
    browser.click(".event-link", "OrderPlaced");
    browser.see(".waits", "Waits for listener Shop for OrderPlaced, which is down");

    shop.outage = null;
    browser.visit(shop.url("overview"));
    browser.see(".verdict", "All is well");
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void deliveryIsPausedAndResumed() throws SQLException {
    openShop();
    browser.visit(shop.url("delivery"));
    browser.click(".button.primary", "Pause delivery");
    browser.see("dialog .notice", "the pause halts all delivery");
    browser.type("dialog input[name=eventType]", "OrderPlaced");
    browser.type("dialog input[name=reason]", "the warehouse moves");
    browser.click("dialog .button.primary");
    browser.see(".pause", "any aggregate / OrderPlaced");
    browser.see(".pause", "the warehouse moves");
    browser.visit(shop.url("overview"));
    browser.see(".verdict", "1 pause");
    browser.visit(shop.url("delivery"));
    browser.click(".button", "Resume");
    browser.see(".empty", "Nothing is paused.");
    browser.visit(shop.url("activity"));
    browser.see(".audit-row", "resume */OrderPlaced");
  }

  @Test
  void aSubscriptionIsSeenPausedAndReplayedAlone() throws SQLException {
    openShop();
    EventEnvelope event =
        EventEnvelope.builder("OrderShipped")
            .aggregateType("Order")
            .aggregateId("A-17")
            .payloadJson("{}")
            .build();
    shop.broken.put(event.eventId() + "webhook", "the partner is gone");
    shop.write(event);
    await().atMost(Duration.ofSeconds(60)).until(() -> shop.count(EventStatus.DEAD) == 1);
    shop.broken.clear();

    browser.visit(shop.url("subscriptions"));
    browser.click("[data-name=webhook] .event-link");
    browser.click(".event-link", "OrderShipped");
    browser.see(".copy-of", "Copy for the subscription webhook of event " + event.eventId());
    browser.click(".copy-of a");
    browser.see(".copies", "webhook");
    browser.see(".copies .pill", "Dead");

    browser.visit(shop.url("subscriptions"));
    browser.click("[data-name=send-mail] .button", "Pause");
    browser.type("dialog input[name=reason]", "the mail server moves");
    browser.click("dialog .button.primary");
    browser.see("[data-name=send-mail] .pill", "Paused");
    browser.see("[data-name=send-mail] .sub-note", "the mail server moves");
    browser.click("[data-name=send-mail] .button", "Resume");
    browser.see("[data-name=send-mail] .pill", "Active");
    browser.click("[data-name=webhook] .button", "Replay dead");
    browser.click("dialog .button.primary", "Replay 1 event");
    browser.see(".job-title", "Finished");
    await().atMost(Duration.ofSeconds(60)).until(() -> shop.count(EventStatus.DONE) == 3);
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void archivedEventsAreFoundAndReplayed() throws SQLException {
    openShop();
    for (int i = 0; i < 3; i++) {
      shop.write(EventEnvelope.ofJson("OrderPlaced", "{\"n\": " + i + "}"));
    }
    await().atMost(Duration.ofSeconds(60)).until(() -> shop.count(EventStatus.DONE) == 3);
    shop.archiveFinished();

    browser.visit(shop.url("archive"));
    browser.see(".list-count", "3 events");
    assertThat(browser.see("[data-replay-found]").isEnabled()).isFalse();
    browser.type("input[name=type]", "OrderPlaced");
    browser.enter();
    await().atMost(Duration.ofSeconds(60)).until(() -> browser.address().contains("type="));
    browser.click(".event-link");
    browser.see(".payload", "\"n\": ");
    browser.click("[data-action=replay]");
    browser.click("dialog .button.primary");
    browser.see(".toast", "The event is pending again");
    await().atMost(Duration.ofSeconds(60)).until(() -> shop.count(EventStatus.DONE) == 1);

    browser.visit(shop.url("archive?type=OrderPlaced"));
    browser.click("[data-replay-found]");
    browser.click("dialog .button.primary", "Replay 3 events");
    browser.see(".job-numbers", "2 of 3 replayed");
    await().atMost(Duration.ofSeconds(60)).until(() -> shop.count(EventStatus.DONE) == 3);
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void aReplayFromTheArchiveThatEndedEarlyIsContinued() throws SQLException {
    openShop();
    for (int i = 0; i < 5; i++) {
      shop.write(EventEnvelope.ofJson("OrderPlaced", "{\"n\": " + i + "}"));
    }
    await().atMost(Duration.ofSeconds(60)).until(() -> shop.count(EventStatus.DONE) == 5);
    shop.archiveFinished();

    browser.visit(shop.url("archive?type=OrderPlaced"));
    browser.see(".list-count", "5 events");
    browser.script(LIMIT_OF_TWO);
    browser.click("[data-replay-found]");
    browser.click("dialog .button.primary", "Replay 5 events");
    browser.see("[data-job='1'] .job-title", "Ended at its limit");
    browser.see("[data-job='1'] .job-numbers", "2 of 5 replayed");
    browser.click("[data-job='1'] [data-continue]");
    browser.see("[data-job='2'] .job-title", "Ended at its limit");
    browser.see("[data-job='2'] .job-numbers", "2 of 3 replayed");
    assertThat(browser.visible("[data-job='1'] [data-continue]")).isEmpty();
    await().atMost(Duration.ofSeconds(60)).until(() -> shop.count(EventStatus.DONE) == 4);
    shop.archiveFinished(); // from the beginning they would be delivered again

    browser.click("dialog .button.primary", "Done");
    browser.visit(shop.url("activity"));
    browser.click("[data-continue]");
    browser.see("[data-job='3'] .job-title", "Finished");
    browser.see("[data-job='3'] .job-numbers", "1 of 1 replayed");
    browser.seeNo("[data-continue]");
    await().atMost(Duration.ofSeconds(60)).until(() -> shop.count(EventStatus.DONE) == 1);
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void theThemeIsThatOfTheSystemUntilItIsSwitched() {
    openShop();
    browser.visit(shop.url("overview"));
    browser.see(".verdict", "All is well");
    Object light = background();
    browser.prefers("dark");
    Object dark = background();
    assertThat(dark).isNotEqualTo(light);

    browser.press("t");
    assertThat(background()).isEqualTo(light);
    browser.visit(shop.url("delivery"));
    browser.see("h1", "Delivery");
    assertThat(background()).isEqualTo(light);
    browser.script("localStorage.clear()");
  }

  private static Object background() {
    return browser.script("return getComputedStyle(document.body).backgroundColor");
  }

  @ParameterizedTest
  @ValueSource(ints = {390, 768, 1280})
  void nothingScrollsSideways(int width) throws SQLException {
    openShop();
    String error = "could not reach https://example.org/" + "a-very-long-path/".repeat(20);
    String id = deadEvent(error);
    browser.size(width, 844);
    for (String page :
        List.of(
            "overview",
            "events",
            "event?id=" + id,
            "subscriptions",
            "delivery",
            "archive",
            "activity",
            "events?type=x")) {
      browser.visit(shop.url(page));
      browser.see("main .card");
      browser.see(".nav-item");
      browser.seeNo(".skeleton, .loading");
      assertThat(browser.script("return document.documentElement.scrollWidth"))
          .as(page)
          .isEqualTo((long) width);
    }
    browser.visit(shop.url("events"));
    browser.click("[data-bulk]");
    browser.click(".menu-item", "Kill all matching");
    browser.see("dialog .dry-run");
    assertThat(
            browser.script(
                "const box = document.querySelector('dialog').getBoundingClientRect();"
                    + " return box.left >= 0 && box.right <= innerWidth"))
        .isEqualTo(true);
  }

  @Test
  void thePageSaysWhereItIsAndInWhichZone() throws SQLException {
    shop = new Shop(settings -> settings.environment("production", "red"));
    String id = deadEvent("org.example.bank.BankException: card 17 declined");
    shop.write(
        EventEnvelope.builder("Later")
            .payloadJson("{}")
            .availableAt(Instant.now().plusSeconds(9000))
            .build());

    browser.visit(shop.url("events"));
    browser.see(".environment", "production");
    browser.see(".place-name", "h2:mem:");
    browser.see(".zone", "Times in ");
    assertThat(browser.script("return document.title").toString())
        .startsWith("PRODUCTION")
        .contains("orders");
    browser.see(".event-head", "Next attempt");
    browser.see(".cell-next", "in 2 h");
    assertThat(browser.see(".error-line").getText())
        .isEqualTo("IllegalStateException: BankException: card 17 declined");

    browser.visit(shop.url("event?id=" + id));
    browser.see(".step-time", String.valueOf(browser.script(ZONE)));
    assertThat(browser.visible(".event-actions .button"))
        .noneMatch(button -> button.getText().contains("Skip"));
  }
}
