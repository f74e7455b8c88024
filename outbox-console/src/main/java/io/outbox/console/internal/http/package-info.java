/** Requests and responses, whatever server they come through. */
package io.outbox.console.internal.http;
