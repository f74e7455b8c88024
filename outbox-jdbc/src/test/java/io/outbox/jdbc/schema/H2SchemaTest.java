package io.outbox.jdbc.schema;

import io.outbox.jdbc.store.Target;

class H2SchemaTest extends SchemaContract {

  H2SchemaTest() {
    super(Target.H2);
  }

  @Override
  String specDdl() {
    return specDdl("JSON", "TINYINT", "TIMESTAMP(6)").replace(" TEXT", " CHARACTER LARGE OBJECT");
  }

  @Override
  String json(String document) {
    return "JSON '" + document + "'";
  }
}
