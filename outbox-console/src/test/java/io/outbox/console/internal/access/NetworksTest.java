package io.outbox.console.internal.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NetworksTest {

  @ParameterizedTest
  @CsvSource({
    "10.1.0.0/16, 10.1.255.255, true",
    "10.1.0.0/16, 10.2.0.0, false",
    "10.1.2.128/25, 10.1.2.129, true",
    "10.1.2.128/25, 10.1.2.127, false",
    "10.1.2.3, 10.1.2.3, true",
    "10.1.2.3, 10.1.2.4, false",
    "0.0.0.0/0, 8.8.8.8, true",
    "0.0.0.0/0, ::1, false",
    "fd00::/8, fd12::1, true",
    "fd00::/8, fe80::1, false",
    "fe80::/10, fe80::1%eth0, true",
    "::1/128, 0:0:0:0:0:0:0:1, true",
    "10.0.0.0/8, ::ffff:10.1.1.1, true",
    "10.0.0.0/8, localhost, false",
    "10.0.0.0/8, '', false",
    "10.0.0.0/8, unknown, false",
  })
  void anAddressIsOfANetworkOrNot(String network, String address, boolean expected) {
    assertThat(Networks.NONE.and("192.0.2.1").and(network).contain(address)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost",
        "10.1.0.0/33",
        "10.1.0.0/-1",
        "10.1/16",
        "",
        "/8",
        "fd00::/x",
        "a.b/8"
      })
  void aNetworkIsNeverLookedUp(String text) {
    assertThatThrownBy(() -> Networks.NONE.and(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("such as 10.1.0.0/16");
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, true",
    "127.1.2.3, true",
    "::1, true",
    "::ffff:127.0.0.1, true",
    "10.0.0.1, false",
    "localhost, false"
  })
  void thisMachineIsKnownByItsAddress(String address, boolean expected) {
    assertThat(Networks.isLoopback(address)).isEqualTo(expected);
  }
}
