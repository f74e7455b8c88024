package io.outbox.relay.broker;

import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Optional;

/** Hosts and ports of addresses, not looked up. */
final class HostPorts {

  private HostPorts() {}

  /** Of {@code host:port}; empty if it is something else. */
  static Optional<InetSocketAddress> of(String hostAndPort) {
    return ofAddress("any://" + hostAndPort.strip(), -1);
  }

  /** Of an address with a scheme; empty if it is something else. */
  static Optional<InetSocketAddress> ofAddress(String address, int defaultPort) {
    try {
      URI uri = URI.create(address);
      int port = uri.getPort() < 0 ? defaultPort : uri.getPort();
      return uri.getHost() == null || port < 0
          ? Optional.empty()
          : Optional.of(InetSocketAddress.createUnresolved(uri.getHost(), port));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** As {@code host:port,host:port}. */
  static String text(List<InetSocketAddress> addresses) {
    return String.join(
        ",",
        addresses.stream()
            .map(address -> address.getHostString() + ":" + address.getPort())
            .toList());
  }
}
