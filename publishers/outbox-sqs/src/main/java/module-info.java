/** Publishes events to Amazon SQS. */
module io.outbox.sqs {
  requires transitive io.outbox.core;
  requires transitive software.amazon.awssdk.services.sqs;
  requires software.amazon.awssdk.awscore;
  requires software.amazon.awssdk.core;
  requires software.amazon.awssdk.regions;

  exports io.outbox.sqs;
}
