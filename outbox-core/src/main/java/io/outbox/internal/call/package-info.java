/** Calling listeners: workers, timeouts, answers that come later, suspects. Not exported. */
package io.outbox.internal.call;
