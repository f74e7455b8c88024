/** A transactional outbox: events are stored with your data and delivered after the commit. */
package io.outbox;
