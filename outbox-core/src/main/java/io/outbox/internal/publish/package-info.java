/** What publishers with a connection share. Exported to those of this project alone. */
package io.outbox.internal.publish;
