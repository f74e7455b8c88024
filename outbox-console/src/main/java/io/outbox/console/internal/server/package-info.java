/** An HTTP server on which slow clients cost no thread. */
package io.outbox.console.internal.server;
