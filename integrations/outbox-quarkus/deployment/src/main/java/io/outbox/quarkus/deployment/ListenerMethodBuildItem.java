package io.outbox.quarkus.deployment;

import io.quarkus.arc.processor.InvokerInfo;
import io.quarkus.builder.item.MultiBuildItem;
import java.util.List;

/** A listener method that was found, with the invoker that calls it. */
final class ListenerMethodBuildItem extends MultiBuildItem {

  private final String where;
  private final List<String> address;
  private final ListenerSignature signature;
  private final InvokerInfo invoker;

  ListenerMethodBuildItem(
      String where, List<String> address, ListenerSignature signature, InvokerInfo invoker) {
    this.where = where;
    this.address = List.copyOf(address);
    this.signature = signature;
    this.invoker = invoker;
  }

  /** What it is, for messages. */
  String where() {
    return where;
  }

  /** Event type, aggregate type, subscription, and the classes of the types; empty for none. */
  List<String> address() {
    return address;
  }

  /** Classes that name the event or aggregate type. */
  List<String> classesOfTypes() {
    return address.stream().skip(3).filter(name -> !name.isEmpty()).toList();
  }

  ListenerSignature signature() {
    return signature;
  }

  InvokerInfo invoker() {
    return invoker;
  }
}
