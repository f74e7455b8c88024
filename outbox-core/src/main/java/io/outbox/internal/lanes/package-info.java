/** Lanes: how nodes share the keys of events among them. Not exported. */
package io.outbox.internal.lanes;
