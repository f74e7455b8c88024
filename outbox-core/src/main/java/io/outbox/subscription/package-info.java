/** Several independent listeners for one event: what is stored of them, and steering them. */
package io.outbox.subscription;
