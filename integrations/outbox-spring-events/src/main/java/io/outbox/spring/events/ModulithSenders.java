package io.outbox.spring.events;

import java.util.List;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.ClassUtils;

/** Beans of Spring Modulith that send events to a broker themselves. */
final class ModulithSenders {

  /** Of Modulith 1.4, and of 2.1. */
  private static final List<String> TYPES =
      List.of(
          "org.springframework.modulith.events.support.DelegatingEventExternalizer",
          "org.springframework.modulith.events.support.EventExternalizerModuleListener",
          "org.springframework.modulith.events.jobrunr.JobRunrEventExternalizer",
          "org.springframework.modulith.events.namastack.NamastackOutboxEventRecorder");

  private ModulithSenders() {}

  /**
   * Refuses to go on where every event would be sent twice.
   *
   * @throws IllegalStateException if there is such a bean
   */
  static void requireNone(ListableBeanFactory beans) {
    for (String type : TYPES) {
      if (ClassUtils.isPresent(type, beans.getClass().getClassLoader())) {
        Class<?> sender = ClassUtils.resolveClassName(type, beans.getClass().getClassLoader());
        for (String name : beans.getBeanNamesForType(sender, true, false)) {
          throw new IllegalStateException(message(name));
        }
      }
    }
  }

  private static String message(String bean) {
    return "Spring Modulith's bean '"
        + bean
        + "' and the outbox would both send every externalized event. Remove the dependency that"
        + " brings the bean, such as spring-modulith-events-kafka, and use a publisher of the"
        + " outbox; or remove outbox-spring-events; or, with Spring Modulith 2.1 and without its"
        + " modules for JobRunr and Namastack, set"
        + " spring.modulith.events.externalization.mode=outbox";
  }
}
