package io.outbox.cli.move;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** The text of a binary column. What is no text is refused: nobody could tell what it was. */
final class BinaryText {

  private BinaryText() {}

  /** Sixteen bytes are a UUID, unless all are ASCII, which those of no UUID are. */
  static String of(byte[] bytes) {
    if (bytes == null) {
      return null;
    }
    return bytes.length == 16 && !isAscii(bytes) ? EventIds.uuid(bytes) : utf8(bytes);
  }

  private static boolean isAscii(byte[] bytes) {
    for (byte each : bytes) {
      if (each < 0) {
        return false;
      }
    }
    return true;
  }

  static String utf8(byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(
          "a binary column is not UTF-8; a payload in another form needs a content-type", e);
    }
  }
}
