/** What can be asked for: the endpoints, and the JSON they answer with. */
package io.outbox.console.internal.api;
