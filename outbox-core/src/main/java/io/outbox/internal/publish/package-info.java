/** What publishers share. Exported to those of this project alone. */
package io.outbox.internal.publish;
