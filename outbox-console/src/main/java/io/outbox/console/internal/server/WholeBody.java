package io.outbox.console.internal.server;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.eclipse.jetty.io.Content;

/** Reads a body of limited length; while nothing comes, no thread waits for it. */
final class WholeBody implements Runnable {

  private final Content.Source source;
  private final int max;
  private final Consumer<byte[]> whenThere;
  private final Consumer<Throwable> whenFailed;
  private final ByteArrayOutputStream read = new ByteArrayOutputStream();

  /**
   * @param whenThere gets all of it, or more than {@code max} bytes if there are more
   */
  WholeBody(
      Content.Source source, int max, Consumer<byte[]> whenThere, Consumer<Throwable> whenFailed) {
    this.source = source;
    this.max = max;
    this.whenThere = whenThere;
    this.whenFailed = whenFailed;
  }

  @Override
  public void run() {
    while (true) {
      Content.Chunk chunk = source.read();
      if (chunk == null) {
        source.demand(this);
        return;
      }
      if (Content.Chunk.isFailure(chunk)) {
        whenFailed.accept(chunk.getFailure());
        return;
      }
      ByteBuffer bytes = chunk.getByteBuffer();
      byte[] piece = new byte[Math.min(bytes.remaining(), max + 1 - read.size())];
      bytes.get(piece);
      read.writeBytes(piece);
      boolean last = chunk.isLast() || read.size() > max;
      chunk.release();
      if (last) {
        whenThere.accept(read.toByteArray());
        return;
      }
    }
  }
}
