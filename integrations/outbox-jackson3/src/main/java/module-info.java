/** JSON through Jackson 3. */
@SuppressWarnings("module") // its name ends with a digit, as that of the library
module io.outbox.jackson3 {
  requires transitive io.outbox.core;
  requires transitive tools.jackson.databind;

  exports io.outbox.jackson3;

  provides io.outbox.spi.JsonCodec with
      io.outbox.jackson3.Jackson3JsonCodec;
}
