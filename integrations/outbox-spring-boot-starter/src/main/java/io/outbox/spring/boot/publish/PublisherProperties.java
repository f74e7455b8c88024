package io.outbox.spring.boot.publish;

import java.net.URI;
import java.util.List;

/** Properties that all publishers have. */
public abstract class PublisherProperties {

  /**
   * Where events are published, with values of the event in braces, as in orders.{aggregateType}.
   * Without it nothing is published.
   */
  private String destination;

  /**
   * Publish only these event types: of the named aggregate types or, if none is named, of events
   * without one. By default all.
   */
  private List<String> eventTypes = List.of();

  /**
   * The aggregate types to publish. If neither these nor event types are named, every event without
   * another listener.
   */
  private List<String> aggregateTypes = List.of();

  /** How the message says what event it is: in plain headers, or as a CloudEvent. */
  private Format format = Format.PLAIN;

  /** The source of CloudEvents: the sending service. */
  private URI source;

  /**
   * Where DEAD events go, with values in braces as above. By default nowhere, and not if an
   * OutboxBuilderCustomizer sets onDead.
   */
  private String deadLetterDestination;

  PublisherProperties() {}

  public String getDestination() {
    return destination;
  }

  public void setDestination(String destination) {
    this.destination = destination;
  }

  public List<String> getEventTypes() {
    return eventTypes;
  }

  public void setEventTypes(List<String> eventTypes) {
    this.eventTypes = eventTypes;
  }

  public List<String> getAggregateTypes() {
    return aggregateTypes;
  }

  public void setAggregateTypes(List<String> aggregateTypes) {
    this.aggregateTypes = aggregateTypes;
  }

  public Format getFormat() {
    return format;
  }

  public void setFormat(Format format) {
    this.format = format;
  }

  public URI getSource() {
    return source;
  }

  public void setSource(URI source) {
    this.source = source;
  }

  public String getDeadLetterDestination() {
    return deadLetterDestination;
  }

  public void setDeadLetterDestination(String deadLetterDestination) {
    this.deadLetterDestination = deadLetterDestination;
  }

  /** How an event is written as a message. */
  public enum Format {
    /** Headers named outbox-event-id, outbox-event-type and so on. */
    PLAIN,
    /** The attributes of CloudEvents 1.0, in binary mode. */
    CLOUDEVENTS
  }
}
