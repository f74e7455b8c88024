package io.outbox.jdbc;

import java.util.List;

/** Additions to an outbox table for a purpose, each from a separate file of DDL. */
public enum Addition {
  /** See {@link OutboxSchema#createOrderedByKey}. */
  ORDERED_BY_KEY("ordered", "createOrderedByKey", "order by key"),

  /** See {@link OutboxSchema#createMembers}. Delivery does without it. */
  MEMBERS("members", "createMembers", "the list of nodes"),

  /** See {@link OutboxSchema#createOperator}. */
  OPERATOR("operator", "createOperator", "the tables for an operator"),

  /** See {@link OutboxSchema#createOperatorIndexes}. */
  OPERATOR_INDEXES("operator-indexes", "createOperatorIndexes", "the indexes for an operator"),

  /** See {@link OutboxSchema#createWaiting}. Delivery does without it. */
  WAITING("waiting", "createWaiting", "since when events wait"),

  /** See {@link OutboxSchema#createArchive}. Only an archive needs it. */
  ARCHIVE("archive", "createArchive", "the archive"),

  /** See {@link OutboxSchema#createSubscriptions}. Delivery without subscriptions needs none. */
  SUBSCRIPTIONS("subscriptions", "createSubscriptions", "the table of subscriptions"),

  /** See {@link OutboxSchema#createHolds}. Delivery does without it. */
  HOLDS("holds", "createHolds", "pauses of tenants and destinations");

  /** What belongs to a complete schema: {@link OutboxSchema#migrate} adds it. */
  public static final List<Addition> MIGRATED =
      List.of(WAITING, MEMBERS, OPERATOR, SUBSCRIPTIONS, HOLDS);

  private final String file;
  private final String method;
  private final String what;

  Addition(String file, String method, String what) {
    this.file = file;
    this.method = method;
    this.what = what;
  }

  /** Its part of the names of DDL files, such as {@code schema/outbox-h2-archive.sql}. */
  public String file() {
    return file;
  }

  /** The method of {@link OutboxSchema} that adds it. */
  public String method() {
    return method;
  }

  /** In words. */
  @Override
  public String toString() {
    return what;
  }
}
