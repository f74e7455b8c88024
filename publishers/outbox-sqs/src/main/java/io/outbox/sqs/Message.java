package io.outbox.sqs;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Collectors;
import software.amazon.awssdk.services.sqs.model.MessageAttributeValue;
import software.amazon.awssdk.services.sqs.model.SendMessageBatchRequestEntry;

/**
 * An event as SQS gets it.
 *
 * @param group null unless the queue is FIFO, as is the de-duplication id
 * @param bytes what SQS counts: the body and all of the attributes
 */
record Message(
    String body, Map<String, String> attributes, String group, String deduplication, int bytes) {

  private static final String TEXT = "String";

  static Message of(
      String body, Map<String, String> attributes, String group, String deduplication) {
    int bytes = length(body);
    for (Map.Entry<String, String> attribute : attributes.entrySet()) {
      bytes += length(attribute.getKey()) + TEXT.length() + length(attribute.getValue());
    }
    return new Message(body, attributes, group, deduplication, bytes);
  }

  private static int length(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  SendMessageBatchRequestEntry entry(int id) {
    return SendMessageBatchRequestEntry.builder()
        .id(Integer.toString(id))
        .messageBody(body)
        .messageAttributes(
            attributes.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, attribute -> value(attribute))))
        .messageGroupId(group)
        .messageDeduplicationId(deduplication)
        .build();
  }

  private static MessageAttributeValue value(Map.Entry<String, String> attribute) {
    return MessageAttributeValue.builder().dataType(TEXT).stringValue(attribute.getValue()).build();
  }
}
