package io.outbox.jdbc.internal;

import java.util.Optional;

/** Additions to an outbox table for a purpose, each from a separate file of DDL. */
public enum Addition {
  ORDERED_BY_KEY("ordered", "createOrderedByKey", "order by key"),
  MEMBERS("members", "createMembers", "the list of nodes"),
  OPERATOR("operator", "createOperator", "the tables for an operator"),
  OPERATOR_INDEXES("operator-indexes", "createOperatorIndexes", "the indexes for an operator"),
  WAITING("waiting", "createWaiting", "since when events wait"),
  ARCHIVE("archive", "createArchive", "the archive"),
  SUBSCRIPTIONS("subscriptions", "createSubscriptions", "the table of subscriptions"),
  HOLDS("holds", "createHolds", "pauses of tenants and destinations");

  private final String file;
  private final String method;
  private final String what;

  Addition(String file, String method, String what) {
    this.file = file;
    this.method = method;
    this.what = what;
  }

  /** Where the DDL is on the class path. */
  public String ddlResource(Product product) {
    return product.ddlResource().replace(".sql", "-" + file + ".sql");
  }

  /** How to add it, as the end of a message. */
  public String whereTheDdlIs(Product product, TableName table) {
    return "The DDL is %s; OutboxSchema.%s(dataSource, \"%s\") adds what is missing"
        .formatted(
            product.family() == Product.Family.OTHER
                ? product.whereTheDdlIs()
                : ddlResource(product) + " in the outbox-jdbc jar",
            method,
            table);
  }

  /** The table of an addition that a foreign dialect may have, too. */
  Optional<String> table() {
    return this == MEMBERS || this == SUBSCRIPTIONS
        ? Optional.of("outbox_event_" + file.substring(0, file.length() - 1))
        : Optional.empty();
  }

  /**
   * Whether a statement of a foreign dialect's DDL belongs to this, and not to the outbox table.
   */
  public boolean has(String statement) {
    return table().map(statement::contains).orElse(false);
  }

  /** In words. */
  @Override
  public String toString() {
    return what;
  }
}
