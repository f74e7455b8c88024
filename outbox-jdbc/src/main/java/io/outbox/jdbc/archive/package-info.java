/**
 * Keeps finished events in an archive instead of deleting them, and finds and replays them there.
 */
package io.outbox.jdbc.archive;
