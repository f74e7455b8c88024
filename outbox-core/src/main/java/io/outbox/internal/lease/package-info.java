/** Leases: renewing them, giving them back, and how many to take. Not exported. */
package io.outbox.internal.lease;
