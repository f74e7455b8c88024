/** Reading settings from YAML, with errors that name the line. */
package io.outbox.relay.yaml;
