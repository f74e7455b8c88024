package io.outbox.jdbc.archive;

import io.outbox.jdbc.OutboxStoreException;

/** A replay from an archive failed after some of its batches; its message says how to continue. */
public final class ArchiveReplayException extends OutboxStoreException {

  private static final long serialVersionUID = 1L;

  private final transient ArchiveReplay soFar;

  ArchiveReplayException(OutboxStoreException failure, ArchiveReplay soFar) {
    super(failure.getMessage() + "; continue with after=" + soFar.next(), failure);
    this.soFar = soFar;
  }

  /** What it did before, and in {@link ArchiveReplay#next()} where another replay continues. */
  public ArchiveReplay soFar() {
    return soFar;
  }
}
