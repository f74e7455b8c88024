package io.outbox.relay.yaml;

/**
 * Where something is in a file.
 *
 * @param line counted from 1
 * @param path of the keys to it, with dots; empty for the whole file
 */
public record Position(int line, String path) {

  Position child(int childLine, String key) {
    return new Position(childLine, path.isEmpty() ? key : path + "." + key);
  }

  Position item(int itemLine, int index) {
    return new Position(itemLine, path + "[" + index + "]");
  }
}
