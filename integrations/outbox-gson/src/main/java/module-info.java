/** JSON through Gson. */
module io.outbox.gson {
  requires transitive com.google.gson;
  requires transitive io.outbox.core;

  exports io.outbox.gson;

  provides io.outbox.spi.JsonCodec with
      io.outbox.gson.GsonJsonCodec;
}
