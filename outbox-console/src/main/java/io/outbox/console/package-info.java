/** A web page to see and steer an outbox, and the JSON API below it. */
package io.outbox.console;
