/** The dialects of our own databases, and what is asked of those of others. */
package io.outbox.jdbc.internal.dialect;
