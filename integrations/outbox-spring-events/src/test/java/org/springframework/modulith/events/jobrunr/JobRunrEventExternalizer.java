package org.springframework.modulith.events.jobrunr;

/** Stands in for the class of Spring Modulith 2.1. */
public class JobRunrEventExternalizer {}
