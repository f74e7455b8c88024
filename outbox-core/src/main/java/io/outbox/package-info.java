/** The API: writing events and listening to them. */
package io.outbox;
