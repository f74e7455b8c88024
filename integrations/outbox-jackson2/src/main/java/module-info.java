/** JSON through Jackson 2. */
@SuppressWarnings("module") // its name ends with a digit, as that of the library
module io.outbox.jackson2 {
  requires transitive com.fasterxml.jackson.databind;
  requires transitive io.outbox.core;

  exports io.outbox.jackson2;

  provides io.outbox.spi.JsonCodec with
      io.outbox.jackson2.Jackson2JsonCodec;
}
