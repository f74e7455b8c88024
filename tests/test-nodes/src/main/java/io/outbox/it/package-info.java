/** What the integration tests, of the same package, share with the fault campaign. */
package io.outbox.it;
