package io.outbox.faults.scenario;

import io.outbox.faults.node.Cluster;
import io.outbox.testdb.TestDatabase;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/** The tables are on a small disk, which is full for longer than a lease. */
public final class FullDisk extends OnOneServer {

  private static final String SIZE = "256m";
  private static final int BLOCK_BYTES = 64 * 1024;

  private final Path disk = Files.createTempDirectory("outbox-disk");

  public FullDisk() throws IOException {
    super(TestDatabase.POSTGRES);
    run("mount", "-t", "tmpfs", "-o", "size=" + SIZE, "tmpfs", disk.toString());
    Path space = Files.createDirectory(disk.resolve("space"));
    site.server().execute("CREATE TABLESPACE small LOCATION '" + space + "'");
    site.server().execute("ALTER DATABASE " + site.name() + " SET TABLESPACE small");
  }

  @Override
  public void fault(Cluster cluster, FaultLog log) throws Exception {
    Fault fault = log.begin("full disk");
    Path filler = disk.resolve("filler");
    fill(filler);
    try {
      passALease(cluster);
    } finally {
      Files.delete(filler);
    }
    fault.end(System.nanoTime());
  }

  /** Until nothing more fits, not even a page. */
  private static void fill(Path file) {
    for (int bytes = BLOCK_BYTES; bytes > 0; bytes /= 4) {
      byte[] block = new byte[bytes];
      Arrays.fill(block, (byte) 1);
      try (OutputStream out =
          Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
        while (true) {
          out.write(block);
        }
      } catch (IOException e) {
        // it is full
      }
    }
  }

  private static void run(String... command) throws IOException {
    try {
      if (new ProcessBuilder(command).inheritIO().start().waitFor() != 0) {
        throw new IOException("failed: " + String.join(" ", command));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  @Override
  public void close() {
    super.close();
    try {
      run("umount", disk.toString());
      Files.delete(disk);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
