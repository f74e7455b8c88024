package io.outbox.testbrowser;

import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.awaitility.core.ConditionFactory;
import org.awaitility.core.ConditionTimeoutException;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebDriverException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LoggingPreferences;
import org.opentest4j.TestAbortedException;

/** Chromium without a window, driven like somebody who looks and clicks. */
public final class Browser implements AutoCloseable {

  private static final String REQUIRED = "OUTBOX_TEST_REQUIRE_BROWSER";
  private static final Path LEFT_OUT = Path.of("target", "left-out");
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Duration OFTEN = Duration.ofMillis(25);

  private static Browser shared; // under the lock of this class

  private final ChromeDriver driver;

  private Browser(ChromeDriver driver) {
    this.driver = driver;
  }

  /** Opens it; without Chromium the test is left out, or fails where a browser is required. */
  public static Browser open() {
    Optional<Path> chromium = find("chromium", "chromium-browser", "google-chrome");
    Optional<Path> chromedriver = find("chromedriver");
    if (chromium.isEmpty() || chromedriver.isEmpty()) {
      throw leftOut("Browser", "there is no chromium, or no chromedriver, on the PATH", REQUIRED);
    }
    forgetLeftOut("Browser");
    ChromeOptions options = new ChromeOptions();
    options.setBinary(chromium.get().toFile());
    options.addArguments(
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-dev-shm-usage",
        "--hide-scrollbars",
        "--lang=en");
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable("browser", Level.ALL);
    options.setCapability("goog:loggingPrefs", logs);
    ChromeDriverService service =
        new ChromeDriverService.Builder()
            .usingDriverExecutable(chromedriver.get().toFile())
            .usingAnyFreePort()
            .build();
    Browser browser = new Browser(new ChromeDriver(service, options));
    browser.size(1280, 900);
    return browser;
  }

  /**
   * One for all tests of this process, as new: light, of the usual size, without cookies and
   * complaints. It closes with the process.
   */
  public static synchronized Browser shared() {
    if (shared == null || !shared.answers()) {
      shared = open();
      Runtime.getRuntime().addShutdownHook(new Thread(shared::close));
    }
    shared.driver.get("about:blank");
    shared.size(1280, 900);
    shared.prefers("light");
    shared.forgetCookies();
    shared.complaints();
    return shared;
  }

  private boolean answers() {
    try {
      driver.getTitle();
      return true;
    } catch (WebDriverException e) {
      return false;
    }
  }

  private static Optional<Path> find(String... names) {
    String path = System.getenv().getOrDefault("PATH", "");
    return Arrays.stream(names)
        .flatMap(name -> Stream.of(path.split(File.pathSeparator)).map(each -> Path.of(each, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /**
   * For a test that cannot run.
   *
   * @param required the environment variable that forbids to leave it out: then this fails
   */
  public static TestAbortedException leftOut(String what, String reason, String required) {
    String line = what + ": left out, " + reason;
    if (Boolean.parseBoolean(System.getenv(required))) {
      throw new AssertionError(line + "; " + required + " is true");
    }
    System.out.println("[LEFT OUT] " + line);
    try {
      Files.createDirectories(LEFT_OUT);
      Files.writeString(file(what), line + System.lineSeparator());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new TestAbortedException(line);
  }

  /** For a test that can run: it is not among those any more that were left out. */
  public static void forgetLeftOut(String what) {
    try {
      Files.deleteIfExists(file(what));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path file(String what) {
    return LEFT_OUT.resolve(what.toLowerCase(Locale.ROOT) + ".txt");
  }

  /** How wide and high the page is. */
  public void size(int width, int height) {
    driver.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 500));
  }

  /** What the system prefers: light or dark. */
  public void prefers(String theme) {
    driver.executeCdpCommand(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", theme))));
  }

  /** A new page, as if typed into the address bar. */
  public void visit(String address) {
    driver.get("about:blank");
    driver.get(address);
  }

  public String address() {
    return driver.getCurrentUrl();
  }

  /** The first visible element that matches; waits for it. */
  public WebElement see(String css) {
    return see(css, element -> true);
  }

  /** The first visible one that contains this text. */
  public WebElement see(String css, String text) {
    return see(css, element -> element.getText().contains(text));
  }

  private WebElement see(String css, Predicate<WebElement> wanted) {
    try {
      return awaited(css, wanted);
    } catch (ConditionTimeoutException e) {
      String text = driver.findElement(By.tagName("body")).getText();
      throw new AssertionError(css + " is not to be seen in:\n" + text, e);
    }
  }

  private WebElement awaited(String css, Predicate<WebElement> wanted) {
    return soon("to see " + css)
        .ignoreExceptionsMatching(WebDriverException.class::isInstance)
        .until(() -> visible(css).stream().filter(wanted).findFirst(), Optional::isPresent)
        .orElseThrow();
  }

  /** Looks at once, and often: a page takes milliseconds. */
  private static ConditionFactory soon(String what) {
    return await(what).atMost(SOON).pollDelay(Duration.ZERO).pollInterval(OFTEN);
  }

  /** Waits until no element that matches can be seen. */
  public void seeNo(String css) {
    soon("to see no " + css)
        .ignoreExceptionsMatching(WebDriverException.class::isInstance)
        .until(() -> visible(css).isEmpty());
  }

  /** Those that can be seen now. */
  public List<WebElement> visible(String css) {
    return driver.findElements(By.cssSelector(css)).stream()
        .filter(WebElement::isDisplayed)
        .toList();
  }

  public void click(String css) {
    clicked(css, () -> see(css));
  }

  public void click(String css, String text) {
    clicked(css + " " + text, () -> see(css, text));
  }

  /** What is refreshed at this moment is looked for again. */
  private void clicked(String what, Supplier<WebElement> element) {
    soon("to click " + what)
        .ignoreExceptionsMatching(WebDriverException.class::isInstance)
        .until(
            () -> {
              element.get().click();
              return true;
            });
  }

  public void type(String css, String text) {
    WebElement input = see(css);
    input.clear();
    input.sendKeys(text);
  }

  /** Keys, wherever the focus is. */
  public void press(CharSequence... keys) {
    for (CharSequence key : keys) {
      new Actions(driver).sendKeys(key).perform();
    }
  }

  public void enter() {
    press(Keys.ENTER);
  }

  public Object script(String javascript, Object... arguments) {
    return driver.executeScript(javascript, arguments);
  }

  /** Runs until its promise is kept. */
  public Object asynchronous(String javascript) {
    return driver.executeAsyncScript(
        "const done = arguments[arguments.length - 1]; (async () => {"
            + javascript
            + "})().then(done, (e) => done('failed: ' + e));");
  }

  public void forgetCookies() {
    driver.manage().deleteAllCookies();
  }

  /** Errors in the console of the browser, violations of the policy among them. */
  public List<String> complaints() {
    return driver.manage().logs().get("browser").getAll().stream()
        .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
        .map(LogEntry::getMessage)
        .toList();
  }

  /** Not of colours on their way from one theme to the other. */
  public byte[] screenshot() {
    soon("for what changes to have changed")
        .until(
            () ->
                script(
                    "return !document.getAnimations().some((each) => each instanceof"
                        + " CSSTransition)"),
            Boolean.TRUE::equals);
    return driver.getScreenshotAs(OutputType.BYTES);
  }

  @Override
  public void close() {
    driver.quit();
  }
}
