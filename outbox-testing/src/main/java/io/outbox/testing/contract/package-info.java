/** Tests that every implementation of an extension point must pass; extend them for your own. */
package io.outbox.testing.contract;
