/** Transactions of this project's modules. Exported to those alone. */
package io.outbox.internal.tx;
