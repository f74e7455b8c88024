/** What can be replaced: transactions, connections, stores, codecs, metrics. */
package io.outbox.spi;
