package io.outbox.testbrokers;

import java.util.Map;

/**
 * A message as its consumer sees it, with what the protocol encodes decoded again.
 *
 * @param key null if there is none
 * @param headers all of them; those that the protocol adds may be among them
 */
public record ReceivedMessage(String key, Map<String, String> headers, byte[] body) {

  String header(String name) {
    return headers.get(name);
  }
}
