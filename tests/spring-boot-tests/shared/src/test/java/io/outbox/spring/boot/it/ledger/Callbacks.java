package io.outbox.spring.boot.it.ledger;

import io.outbox.OutboxWriter;
import jakarta.persistence.PostPersist;
import jakarta.persistence.PostRemove;
import jakarta.persistence.PostUpdate;
import jakarta.persistence.PrePersist;
import jakarta.persistence.PreRemove;
import jakarta.persistence.PreUpdate;
import org.springframework.beans.factory.ObjectProvider;

/** Writes events in the middle of JPA's work, if told to. JPA makes an instance of its own. */
public class Callbacks {

  public static volatile boolean writing;
  private final ObjectProvider<OutboxWriter> outbox;

  Callbacks(ObjectProvider<OutboxWriter> outbox) {
    this.outbox = outbox;
  }

  @PrePersist
  void prePersist(Object entity) {
    write("PrePersist", entity);
  }

  @PostPersist
  void postPersist(Object entity) {
    write("PostPersist", entity);
  }

  @PreUpdate
  void preUpdate(Object entity) {
    write("PreUpdate", entity);
  }

  @PostUpdate
  void postUpdate(Object entity) {
    write("PostUpdate", entity);
  }

  @PreRemove
  void preRemove(Object entity) {
    write("PreRemove", entity);
  }

  @PostRemove
  void postRemove(Object entity) {
    write("PostRemove", entity);
  }

  private void write(String callback, Object entity) {
    if (writing) {
      outbox.getObject().write("Seen", "\"" + callback + entity.getClass().getSimpleName() + "\"");
    }
  }
}
