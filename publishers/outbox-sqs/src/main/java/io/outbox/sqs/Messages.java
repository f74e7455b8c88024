package io.outbox.sqs;

import io.outbox.EventEnvelope;
import io.outbox.UnrecoverableException;
import io.outbox.publish.MessageFormat;
import io.outbox.spi.JsonCodec;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** Makes messages of events. */
final class Messages {

  static final String ENCODING = "outbox-encoding";
  static final String HEADERS = "outbox-headers";

  private static final String CLOUD_EVENTS_PREFIX = "ce-";
  private static final int MAX_ATTRIBUTES = 10;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*");
  private static final int MAX_NAME = 256;
  private static final Pattern GROUP = Pattern.compile("[\\x21-\\x7e]{1,128}");

  private final MessageFormat format;

  Messages(MessageFormat format) {
    this.format = format;
  }

  Message of(EventEnvelope event, boolean fifo) {
    byte[] bytes = event.payloadJson() == null ? event.payloadBytes() : null;
    String body = bytes == null ? event.payloadJson() : encoded(bytes);
    Map<String, String> ours = new LinkedHashMap<>();
    Map<String, String> own = new LinkedHashMap<>();
    if (bytes != null) {
      ours.put(ENCODING, bytes.length == 0 ? "empty" : "base64");
    }
    format
        .headers(event, CLOUD_EVENTS_PREFIX)
        .forEach(
            (name, value) -> {
              boolean isOwn = value.equals(event.headers().get(name));
              if (!name.equals(ENCODING)) {
                (isOwn ? own : ours).put(name, value);
              }
            });
    Map<String, String> attributes = attributes(ours, own);
    requireText(event, "the body", body);
    attributes.forEach((name, value) -> requireText(event, "attribute " + name, value));
    return Message.of(body, attributes, fifo ? group(event) : null, fifo ? event.eventId() : null);
  }

  private static String encoded(byte[] bytes) {
    return bytes.length == 0 ? "-" : Base64.getEncoder().encodeToString(bytes);
  }

  /** What does not fit as it is goes into one attribute. */
  private static Map<String, String> attributes(Map<String, String> ours, Map<String, String> own) {
    Map<String, String> attributes = new LinkedHashMap<>(ours);
    attributes.putAll(own);
    if (attributes.size() <= MAX_ATTRIBUTES
        && attributes.entrySet().stream().allMatch(Messages::isAttribute)) {
      return attributes;
    }
    Map<String, String> rest = new LinkedHashMap<>(own);
    attributes.clear();
    for (Map.Entry<String, String> header : ours.entrySet()) {
      boolean fits = attributes.size() < MAX_ATTRIBUTES - 1 && isAttribute(header);
      (fits ? attributes : rest).put(header.getKey(), header.getValue());
    }
    attributes.put(HEADERS, JsonCodec.getDefault().toJson(rest));
    return attributes;
  }

  private static boolean isAttribute(Map.Entry<String, String> header) {
    String name = header.getKey();
    String lower = name.toLowerCase(Locale.ROOT);
    return name.length() <= MAX_NAME
        && NAME.matcher(name).matches()
        && !lower.startsWith("aws.")
        && !lower.startsWith("amazon.")
        && !name.equals(HEADERS)
        && !header.getValue().isEmpty()
        && isText(header.getValue());
  }

  private static void requireText(EventEnvelope event, String what, String text) {
    if (!isText(text)) {
      throw new UnrecoverableException(
          "event %s cannot be sent to SQS: %s has a character that SQS does not allow"
              .formatted(event.eventId(), what));
    }
  }

  /** What XML 1.0 allows. */
  private static boolean isText(String text) {
    return text.codePoints()
        .allMatch(
            c ->
                c == '\t'
                    || c == '\n'
                    || c == '\r'
                    || (c >= 0x20 && c <= 0xd7ff)
                    || (c >= 0xe000 && c <= 0xfffd)
                    || c >= 0x10000);
  }

  private static String group(EventEnvelope event) {
    String key = event.partitionKeyOrDefault();
    if (key == null) {
      return event.eventId();
    }
    return GROUP.matcher(key).matches() ? key : sha256(key);
  }

  private static String sha256(String key) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(key.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
