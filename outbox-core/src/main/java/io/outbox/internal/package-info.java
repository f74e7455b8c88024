/** Not for use from outside; not exported. */
package io.outbox.internal;
