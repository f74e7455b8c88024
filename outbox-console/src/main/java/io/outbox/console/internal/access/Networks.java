package io.outbox.console.internal.access;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** Some networks, each as {@code 10.1.0.0/16}, {@code fd00::/8} or one address. */
public final class Networks {

  /** None. */
  public static final Networks NONE = new Networks(List.of());

  private record Network(byte[] address, int bits, String text) {

    boolean contains(byte[] other) {
      if (other.length != address.length) {
        return false;
      }
      int whole = bits / 8;
      int rest = bits % 8;
      return Arrays.equals(address, 0, whole, other, 0, whole)
          && (rest == 0 || (address[whole] ^ other[whole]) >> (8 - rest) == 0);
    }
  }

  private final List<Network> all;

  private Networks(List<Network> all) {
    this.all = all;
  }

  /** These and one more. */
  public Networks and(String text) {
    List<Network> more = new ArrayList<>(all);
    more.add(parse(Objects.requireNonNull(text, "network")));
    return new Networks(List.copyOf(more));
  }

  private static Network parse(String text) {
    int slash = text.indexOf('/');
    byte[] address = literal(slash < 0 ? text : text.substring(0, slash));
    try {
      int max = address == null ? 0 : address.length * 8;
      int bits = slash < 0 ? max : Integer.parseInt(text.substring(slash + 1));
      if (address != null && bits >= 0 && bits <= max) {
        return new Network(address, bits, text);
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new IllegalArgumentException(
        "a network is an address with the number of its leading bits, such as 10.1.0.0/16 or"
            + " fd00::/8, but not '"
            + text
            + "'");
  }

  /** Null if it is no address; a name is never looked up. */
  private static byte[] literal(String text) {
    String bare =
        text.startsWith("[") && text.endsWith("]") ? text.substring(1, text.length() - 1) : text;
    int scope = bare.indexOf('%');
    String plain = scope < 0 ? bare : bare.substring(0, scope);
    if (!plain.matches("\\d{1,3}(\\.\\d{1,3}){3}|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*")) {
      return null;
    }
    try {
      return InetAddress.getByName(plain).getAddress();
    } catch (UnknownHostException e) {
      return null;
    }
  }

  /** Whether an address is of one of them; what is no address is not. */
  public boolean contain(String address) {
    byte[] bytes = address == null ? null : literal(address);
    return bytes != null && all.stream().anyMatch(network -> network.contains(bytes));
  }

  /** Whether an address is of this machine, for itself. */
  public static boolean isLoopback(String address) {
    byte[] bytes = address == null ? null : literal(address);
    try {
      return bytes != null && InetAddress.getByAddress(bytes).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  public boolean isEmpty() {
    return all.isEmpty();
  }

  @Override
  public String toString() {
    return String.join(", ", all.stream().map(Network::text).toList());
  }
}
