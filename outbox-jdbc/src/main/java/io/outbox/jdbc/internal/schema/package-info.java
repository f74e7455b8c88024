/** What the outbox table looks like, should look like, and how to get there; not for users. */
package io.outbox.jdbc.internal.schema;
