package io.outbox.faults;

/** Something that a scenario cannot do without. */
interface Need {

  boolean isMissing();

  /** What it is, and how to get it. */
  String text();

  /** The rights to mount a file system. */
  Need ROOT =
      new Need() {
        @Override
        public boolean isMissing() {
          return !System.getProperty("user.name").equals("root");
        }

        @Override
        public String text() {
          return "root, to mount a small disk";
        }
      };
}
