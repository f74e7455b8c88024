/** Helpers to test code that uses the outbox, and contract tests for its extension points. */
package io.outbox.testing;
