/** Who may use the console, and for what. */
package io.outbox.console.internal.access;
