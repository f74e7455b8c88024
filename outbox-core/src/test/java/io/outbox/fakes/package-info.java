/** Stand-ins for databases, transactions and metrics, for the tests of this module. */
package io.outbox.fakes;
