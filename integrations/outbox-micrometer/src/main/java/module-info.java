/** Metrics of the outbox, through Micrometer. */
module io.outbox.micrometer {
  requires transitive io.outbox.core;
  requires transitive micrometer.core;

  exports io.outbox.micrometer;
}
