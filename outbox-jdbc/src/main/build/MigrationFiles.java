import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Writes the migrations for Flyway and Liquibase from the schema; the build runs it before it
 * copies resources. Its arguments are the schema's directory and the directory to write to.
 *
 * <p>Published migrations never change: PublishedMigrationsTest has their hashes. An addition to
 * the schema gets a new file and a new change set here.
 */
class MigrationFiles {

  private final Path schema;
  private final Path target;

  MigrationFiles(Path schema, Path target) {
    this.schema = schema;
    this.target = target;
  }

  public static void main(String... arguments) throws IOException {
    MigrationFiles files = new MigrationFiles(Path.of(arguments[0]), Path.of(arguments[1]));
    for (String database : new String[] {"h2", "postgresql", "mysql", "mariadb"}) {
      files.writeForFlyway(database);
    }
    files.writeRotatedForFlyway();
    files.writeForLiquibase();
  }

  private void writeForFlyway(String database) throws IOException {
    flyway("outbox-flyway", database, "");
    flyway("outbox-flyway", database, "members");
    flyway("outbox-flyway", database, "waiting");
    flyway("outbox-flyway", database, "subscriptions");
    flyway("outbox-flyway-ordered", database, "ordered");
    flyway("outbox-flyway-operator", database, "operator");
    flyway("outbox-flyway-archive", database, "archive");
    flyway("outbox-flyway-operator", database, "holds");
  }

  /** Instead of the plain table, so the name is the same: additions to it come later. */
  private void writeRotatedForFlyway() throws IOException {
    flyway("outbox-flyway-rotated", "postgresql", "rotated", "");
    flyway("outbox-flyway-rotated", "postgresql", "members");
    flyway("outbox-flyway-rotated", "postgresql", "subscriptions");
  }

  private void flyway(String directory, String database, String part) throws IOException {
    flyway(directory, database, part, part);
  }

  private void flyway(String directory, String database, String part, String name)
      throws IOException {
    String ddl = ddl(database.equals("mariadb") ? "mysql" : database, part);
    write(
        directory + "/" + database + "/R__outbox_event" + (name.isEmpty() ? "" : "_" + name),
        "-- For Flyway: without a version, so that it cannot collide with one of yours.\n"
            + (database.equals("mysql") ? repeatableOnMySql(ddl) : ifNotExists(ddl)));
  }

  /** MySQL can create a table unless it exists, but not a column or an index. */
  private static String repeatableOnMySql(String ddl) {
    return ddl.contains("ADD COLUMN waiting_since ")
        // the table may have been created with the column
        ? ddl.substring(0, ddl.indexOf("ALTER TABLE"))
            + """
            SET @outbox_ddl = (
              SELECT IF(COUNT(*) > 0, 'DO 0',
                'ALTER TABLE outbox_event ADD COLUMN waiting_since DATETIME(6), ADD INDEX outbox_event_waiting (waiting_since)')
              FROM information_schema.columns
              WHERE table_schema = DATABASE() AND table_name = 'outbox_event'
                AND column_name = 'waiting_since');
            PREPARE outbox_statement FROM @outbox_ddl;
            EXECUTE outbox_statement;
            DEALLOCATE PREPARE outbox_statement;
            """
        : ddl.replaceAll("(?m)^CREATE TABLE ", "CREATE TABLE IF NOT EXISTS ");
  }

  private static String ifNotExists(String ddl) {
    return ddl.replaceAll("(?m)(^CREATE TABLE|^CREATE INDEX|ADD COLUMN) ", "$1 IF NOT EXISTS ");
  }

  private void writeForLiquibase() throws IOException {
    StringBuilder changelog = new StringBuilder();
    StringBuilder ordered = new StringBuilder();
    StringBuilder operator = new StringBuilder();
    StringBuilder archive = new StringBuilder();
    for (String id : new String[] {"h2", "postgresql", "mysql"}) {
      changelog.append(changeSet("1-" + id, dbms(id), body(id, ""), "TABLE outbox_event"));
      ordered.append(changeSet("ordered-1-" + id, dbms(id), body(id, "ordered"), undoOrdered(id)));
      operator.append(
          changeSet(
              "operator-1-" + id,
              dbms(id),
              body(id, "operator"),
              "TABLE outbox_event_audit",
              "TABLE outbox_event_pause"));
      archive.append(
          changeSet(
              "archive-1-" + id, dbms(id), body(id, "archive"), "TABLE outbox_event_archive"));
    }
    for (String id : new String[] {"h2", "postgresql", "mysql"}) {
      String holds = body(id, "holds").replace("CREATE TABLE ", "CREATE TABLE IF NOT EXISTS ");
      operator.append(changeSet("holds-1-" + id, dbms(id), holds, "TABLE outbox_event_hold"));
      // a node may have created it before
      String members = body(id, "members").replace("CREATE TABLE ", "CREATE TABLE IF NOT EXISTS ");
      changelog.append(
          changeSet("members-1-" + id, dbms(id), members, "TABLE outbox_event_member"));
    }
    for (String id : new String[] {"h2", "postgresql", "mysql"}) {
      changelog.append(waitingColumn(id));
    }
    for (String id : new String[] {"h2", "postgresql", "mysql"}) {
      // an application may have created it before
      String table =
          body(id, "subscriptions").replace("CREATE TABLE ", "CREATE TABLE IF NOT EXISTS ");
      changelog.append(
          changeSet("subscriptions-1-" + id, dbms(id), table, "TABLE outbox_event_subscription"));
    }
    write("outbox-liquibase/changelog", "--liquibase formatted sql\n" + changelog);
    write("outbox-liquibase/ordered", "--liquibase formatted sql\n" + ordered);
    write("outbox-liquibase/operator", "--liquibase formatted sql\n" + operator);
    write("outbox-liquibase/archive", "--liquibase formatted sql\n" + archive);
    write("outbox-liquibase/rotated", "--liquibase formatted sql\n" + rotated());
  }

  /** Instead of the plain table. */
  private String rotated() throws IOException {
    String members = body("postgresql", "members");
    String subscriptions = body("postgresql", "subscriptions");
    return changeSet(
            "rotated-1-postgresql",
            "postgresql",
            body("postgresql", "rotated"),
            "TABLE outbox_event")
        + changeSet(
            "rotated-members-1-postgresql",
            "postgresql",
            members.replace("CREATE TABLE ", "CREATE TABLE IF NOT EXISTS "),
            "TABLE outbox_event_member")
        + changeSet(
            "rotated-subscriptions-1-postgresql",
            "postgresql",
            subscriptions.replace("CREATE TABLE ", "CREATE TABLE IF NOT EXISTS "),
            "TABLE outbox_event_subscription");
  }

  /** The table may have been created with the column. */
  private String waitingColumn(String id) throws IOException {
    boolean mysql = id.equals("mysql");
    String precondition =
        """
        --preconditions onFail:MARK_RAN
        --precondition-sql-check expectedResult:0 SELECT COUNT(*) FROM information_schema.columns \
        WHERE table_schema = DATABASE() AND table_name = 'outbox_event' \
        AND column_name = 'waiting_since'
        """;
    String ddl = body(id, "waiting");
    return changeSet(
        "waiting-1-" + id,
        mysql ? "mysql,mariadb" : id,
        mysql ? precondition + ddl : ifNotExists(ddl),
        "INDEX outbox_event_waiting" + (mysql ? " ON outbox_event" : ""),
        "COLUMN waiting_since");
  }

  private static String[] undoOrdered(String id) {
    String undo =
        "INDEX outbox_event_key"
            + (id.equals("mysql") ? " ON outbox_event" : "")
            + (id.equals("postgresql") ? "" : ",COLUMN key_lane,COLUMN key_name")
            + ",TABLE outbox_event_block,TABLE outbox_event_node,TABLE outbox_event_lane";
    return undo.split(",");
  }

  private static String changeSet(String id, String dbms, String ddl, String... drops) {
    StringBuilder set = new StringBuilder();
    set.append("\n--changeset io.outbox:" + id + " dbms:" + dbms + "\n" + ddl);
    for (String drop : drops) {
      String table = drop.startsWith("COLUMN") ? "ALTER TABLE outbox_event " : "";
      set.append("--rollback " + table + "DROP " + drop + ";\n");
    }
    return set.toString();
  }

  /** On MySQL and MariaDB some comments are for the server, and Liquibase must not remove them. */
  private static String dbms(String id) {
    return id.equals("mysql") ? "mysql,mariadb stripComments:false" : id;
  }

  private String body(String id, String part) throws IOException {
    String ddl = ddl(id, part);
    return id.equals("mysql") ? ddl.replaceAll("(?m)^ *-- .*\\R", "").strip() + "\n" : ddl;
  }

  private String ddl(String database, String part) throws IOException {
    String name = "outbox-" + database + (part.isEmpty() ? "" : "-" + part) + ".sql";
    return Files.readString(schema.resolve(name)).replace("\r\n", "\n");
  }

  private void write(String name, String text) throws IOException {
    Path file = target.resolve(name + ".sql");
    Files.createDirectories(file.getParent());
    if (!Files.exists(file) || !Files.readString(file).equals(text)) {
      Files.writeString(file, text);
    }
  }
}
