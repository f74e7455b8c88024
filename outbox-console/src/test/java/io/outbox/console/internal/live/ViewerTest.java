package io.outbox.console.internal.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class ViewerTest {

  private final AtomicInteger ends = new AtomicInteger();
  private final AtomicBoolean welcome = new AtomicBoolean(true);
  private final Viewer viewer =
      new Viewer(welcome::get, Duration.ofMillis(50), ends::incrementAndGet);

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private Thread write(OutputStream out) {
    Thread thread =
        new Thread(
            () -> {
              try {
                viewer.writeTo(out);
              } catch (IOException e) {
                // what a broken connection throws
              }
            });
    thread.start();
    return thread;
  }

  @Test
  void messagesComeInOrderAndAHeartbeatWhenThereIsNone() throws InterruptedException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    viewer.offer(bytes("one "));
    viewer.offer(bytes("two "));
    Thread thread = write(out);

    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> out.toString(StandardCharsets.UTF_8).startsWith("one two : \n\n"));
    viewer.close();
    thread.join();
    assertThat(ends).hasValue(1);
  }

  @Test
  void whoIsNoLongerWelcomeIsSentAway() throws InterruptedException {
    Thread thread = write(new ByteArrayOutputStream());

    welcome.set(false);

    thread.join();
    assertThat(ends).hasValue(1);
  }

  @Test
  void whoReadsTooSlowlyIsDroppedAlsoInTheMiddleOfAWrite() throws InterruptedException {
    CountDownLatch writing = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    Thread thread =
        write(
            new OutputStream() {
              @Override
              public void write(int b) throws IOException {
                writing.countDown();
                try {
                  never.await();
                } catch (InterruptedException e) {
                  throw new InterruptedIOException();
                }
              }
            });
    viewer.offer(bytes("stuck"));
    writing.await();

    for (int i = 0; i <= Viewer.CAPACITY; i++) {
      viewer.offer(bytes("more"));
    }

    thread.join();
    assertThat(ends).hasValue(1);
  }

  @Test
  void theThreadGoesBackToItsPoolUninterrupted() throws InterruptedException {
    AtomicBoolean interrupted = new AtomicBoolean(true);
    Thread thread =
        new Thread(
            () -> {
              try {
                viewer.writeTo(new ByteArrayOutputStream());
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
              interrupted.set(Thread.currentThread().isInterrupted());
            });
    thread.start();
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> thread.getState() == Thread.State.TIMED_WAITING);

    viewer.close();

    thread.join();
    assertThat(interrupted).isFalse();
  }
}
