package org.springframework.modulith.events.namastack;

/** Stands in for the class of Spring Modulith 2.1. */
public class NamastackOutboxEventRecorder {}
