/** The hot path: from the commit to the queue without a look at the table. Not exported. */
package io.outbox.internal.hot;
