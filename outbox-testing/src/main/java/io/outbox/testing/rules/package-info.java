/** A contract to extend that runs the engine on a store and checks the rules of delivery. */
package io.outbox.testing.rules;
