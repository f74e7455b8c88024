/** What one listener may do: its retries, its limits, and what follows a dead event. */
package io.outbox.policy;
