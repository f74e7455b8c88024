/** Lanes: how nodes share the keys of events among them. Internal. */
package io.outbox.internal.lanes;
