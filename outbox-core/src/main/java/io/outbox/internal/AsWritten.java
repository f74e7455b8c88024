package io.outbox.internal;

/** A listener that gets an event as it was written, whatever interceptors make of it for others. */
public interface AsWritten {}
