/** What a store offers for delivery in the order of keys. */
package io.outbox.spi.lanes;
