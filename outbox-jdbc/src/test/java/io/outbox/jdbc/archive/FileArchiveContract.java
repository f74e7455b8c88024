package io.outbox.jdbc.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.store.Target;
import io.outbox.model.EventStatus;
import io.outbox.operate.EventFilter;
import io.outbox.operate.EventPage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What an archive in files must do on every database. */
abstract class FileArchiveContract extends ArchiveContract {

  @TempDir Path directory;

  FileArchiveContract(Target target) {
    super(target);
  }

  private Path root() {
    return directory.resolve("not/there/yet");
  }

  @Override
  ArchivingPurger purger() {
    return ArchivingPurger.toFiles(TABLE, root());
  }

  @Override
  EventArchive archive() {
    return EventArchive.ofFiles(dataSource::getConnection, store, root());
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> all = Files.walk(root())) {
      return all.filter(Files::isRegularFile).sorted().toList();
    }
  }

  private static List<String> lines(Path part) throws IOException {
    byte[] bytes = Files.readAllBytes(part);
    try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }

  @Test
  void aBatchIsAFileOfLinesWhoseNameSortsByTime() throws Exception {
    insertDone(event("a", T0).build());
    insertDone(event("b", T0).build());
    purge(1);
    purge(1);

    List<Path> files = files();
    assertThat(files).hasSize(2);
    assertThat(files.get(0).getParent().getFileName().toString()).matches("\\d{4}-\\d\\d-\\d\\d");
    assertThat(files.get(0).getFileName().toString())
        .matches("outbox_event-\\d{8}T\\d{6}\\.\\d{6}Z-[0-9a-f]{8}-0001\\.jsonl\\.gz");
    assertThat(lines(files.get(0)).get(0))
        .startsWith("{\"event_id\":\"")
        .contains("\"payload\":\"{\\\"n\\\": 1}\"", "\"status\":\"DONE\"", "\"lease_no\":");
  }

  @Test
  void aLargeBatchIsDividedIntoParts() throws Exception {
    Random random = new Random(1);
    for (int i = 0; i < 20; i++) {
      String noise =
          random
              .ints(8_000, 'a', 'z')
              .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
              .toString();
      insertDone(event("e" + i, T0).payloadJson("\"" + noise + "\"").build());
    }
    ArchivingPurger small = ArchivingPurger.toFiles(TABLE, root(), 1024);
    try (Connection conn = dataSource.getConnection()) {
      assertThat(small.purge(conn, LATER, 100)).isEqualTo(20);
    }
    assertThat(files().size()).isGreaterThan(1);
    assertThat(archived(EventFilter.ALL)).hasSize(20);
  }

  @Test
  void R1_afterAFailureAnEventIsWrittenAgainAndReplayedOnce() throws Exception {
    insertDone(event("a", T0).build());
    try (Connection conn = dataSource.getConnection()) {
      conn.setAutoCommit(false);
      purger().purge(conn, LATER, 10);
      conn.rollback();
    }
    purge(10);

    assertThat(files()).hasSize(2);
    assertThat(archived(EventFilter.ALL)).containsExactly("a", "a");
    assertThat(archive().replay(EventFilter.ALL)).isEqualTo(new ArchiveReplay(1, 1, null));
  }

  @Test
  void R1_aDirectoryThatCannotBeWrittenLeavesEventsInTheTable() throws Exception {
    insertDone(event("a", T0).build());
    Files.createDirectories(root().getParent());
    Files.writeString(root(), "in the way");

    assertPurgeFails("could not archive events of table outbox_event in " + root());
    assertThat(operator().find("a")).isPresent();
  }

  @Test
  void anUnfinishedPartIsNotReadAndIsRemovedSomeDay() throws Exception {
    insertDone(event("a", T0).build());
    purge(10);
    Path day = Files.createDirectories(files().get(0).getParent().resolveSibling("2026-01-01"));
    Path recent = day.resolve("outbox_event-1.jsonl.gz.tmp");
    Path abandoned = day.resolve("outbox_event-2.jsonl.gz.tmp");
    Path foreign = day.resolve("other-2.jsonl.gz.tmp");
    FileTime yesterday = FileTime.from(Instant.now().minus(2, ChronoUnit.DAYS));
    Files.writeString(recent, "half");
    for (Path old : List.of(abandoned, foreign)) {
      Files.writeString(old, "half");
      Files.setLastModifiedTime(old, yesterday);
    }

    insertDone(event("b", T0).build());
    purge(10);
    assertThat(archived(EventFilter.ALL)).containsExactly("b", "a");
    assertThat(recent).exists();
    assertThat(abandoned).doesNotExist();
    assertThat(foreign).exists();
  }

  @Test
  void partsMayBePutTogether() throws Exception {
    insertDone(event("a", T0).build());
    insertDone(event("b", T0).build());
    purge(1);
    purge(1);
    join(files());

    assertThat(archived(EventFilter.ALL)).hasSize(2);
    assertThat(archive().find("b")).isPresent();
  }

  @Test
  void ofSeveralLivesOfADayTheLatestIsFound() throws Exception {
    insertDone(event("a", T0).build());
    purge(10);
    archive().replay("a");
    finish("a", EventStatus.DEAD, "second life");
    purge(10);
    join(files());

    assertThat(archive().find("a").orElseThrow().lastError()).isEqualTo("second life");
  }

  /** Puts the second one behind the first. */
  private static void join(List<Path> parts) throws IOException {
    Files.write(parts.get(0), joined(bytes(parts.get(0)), bytes(parts.get(1))));
    Files.delete(parts.get(1));
  }

  @Test
  void filesOfSeveralDaysMayHaveTheSameName() throws Exception {
    insertDoneAndJoin("2026-03-01", "a");
    insertDoneAndJoin("2026-03-02", "b");

    List<String> seen = new ArrayList<>();
    String after = null;
    do {
      EventPage page = archive().search(EventFilter.ALL, after, 40);
      seen.addAll(ids(page));
      after = page.next();
    } while (after != null);

    assertThat(seen).hasSize(300).doesNotHaveDuplicates();
    assertThat(archive().replay(EventFilter.ALL)).isEqualTo(new ArchiveReplay(300, 0, null));
  }

  private void insertDoneAndJoin(String day, String prefix) throws Exception {
    for (int i = 0; i < 150; i++) {
      insertDone(event(prefix + i, T0).build());
    }
    Set<Path> before = Files.exists(root()) ? Set.copyOf(files()) : Set.of();
    purge(1_000);
    Path part = files().stream().filter(file -> !before.contains(file)).findFirst().orElseThrow();
    Path directory = Files.createDirectories(root().resolve(day));
    Files.move(part, directory.resolve("outbox_event-all.jsonl.gz"));
  }

  private static byte[] bytes(Path file) throws IOException {
    return Files.readAllBytes(file);
  }

  private static byte[] joined(byte[] one, byte[] other) {
    byte[] both = Arrays.copyOf(one, one.length + other.length);
    System.arraycopy(other, 0, both, one.length, other.length);
    return both;
  }

  @Test
  void aDirectoryOrLineThatIsNoArchiveIsNamed() throws Exception {
    assertThatThrownBy(() -> archive().search(EventFilter.ALL, null, 10))
        .isInstanceOf(OutboxStoreException.class)
        .hasMessageContaining(root().toString());

    insertDone(event("a", T0).build());
    purge(10);
    Path part = files().get(0);
    try (var out = new GZIPOutputStream(Files.newOutputStream(part))) {
      out.write("{\"event_id\":1}\n".getBytes(StandardCharsets.UTF_8));
    }
    assertThatThrownBy(() -> archive().search(EventFilter.ALL, null, 10))
        .isInstanceOf(OutboxStoreException.class)
        .hasMessageContaining("line 1 of " + part);
  }

  @Test
  void aPartThatIsCutShortIsNamed() throws Exception {
    insertDone(event("a", T0).build());
    purge(10);
    Path part = files().get(0);
    byte[] whole = bytes(part);

    for (int length : List.of(whole.length / 2, 5, 0)) {
      Files.write(part, Arrays.copyOf(whole, length));
      assertThatThrownBy(() -> archive().search(EventFilter.ALL, null, 10))
          .isInstanceOf(OutboxStoreException.class)
          .hasMessageContaining(part.toString());
    }
  }

  @Test
  @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aCursorBehindTheEndOfAPartEndsThere() throws Exception {
    insertDone(event("a", T0).build());
    purge(10);

    String part = PartName.inArchive(files().get(0));
    String behind = ArchiveReader.cursor(part, Long.toString(Long.MAX_VALUE));
    assertThat(archive().search(EventFilter.ALL, behind, 10).events()).isEmpty();
  }

  @Test
  void noTransactionIsOpenWhileFilesAreRead() throws Exception {
    insertDone(event("a", T0).build());
    purge(10);
    Files.writeString(files().get(0), "damaged");
    List<String> calls = new ArrayList<>();
    EventArchive watched = EventArchive.ofFiles(() -> recording(calls), store, root());

    assertThatThrownBy(() -> watched.search(EventFilter.ALL, null, 10))
        .hasMessageContaining("is it damaged?");
    assertThatThrownBy(() -> watched.find("a")).hasMessageContaining("is it damaged?");
    assertThat(calls).contains("commit", "close").doesNotContain("rollback");
  }

  /** A connection that tells what it was called for. */
  private Connection recording(List<String> calls) throws SQLException {
    Connection conn = dataSource.getConnection();
    return (Connection)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, args) -> {
              calls.add(method.getName());
              return method.invoke(conn, args);
            });
  }

  @Test
  void filesThatComeDuringAReplayAreLeftOut() throws SQLException {
    for (int i = 0; i < 101; i++) {
      insertDone(event("e" + i, T0).build());
    }
    purge(1_000);

    ArchiveReplay replay =
        archive()
            .replay(
                EventFilter.ALL,
                1_000,
                progress -> {
                  archiveAnother();
                  return true;
                });

    assertThat(replay.replayed()).isEqualTo(101);
  }

  private void archiveAnother() {
    try {
      insertDone(event(UUID.randomUUID().toString(), T0).build());
      purge(10);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void filesOfOtherTablesAreNotRead() throws SQLException {
    insertDone(event("a", T0).build());
    purge(10);

    EventArchive other =
        EventArchive.ofFiles(dataSource::getConnection, otherStore("outbox"), root());
    assertThat(other.search(EventFilter.ALL, null, 10).events()).isEmpty();
  }

  private AbstractJdbcOutboxStore otherStore(String table) {
    return JdbcOutboxStores.detect(dataSource, table);
  }
}
