/** From the result of a call to an outcome in the table. Not exported. */
package io.outbox.internal.record;
