/** Finds events by an operator's filter, page by page. */
package io.outbox.jdbc.internal.search;
