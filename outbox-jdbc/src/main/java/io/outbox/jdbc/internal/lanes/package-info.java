/** Order by key, and the list of nodes: who owns which lane, and the events of each key. */
package io.outbox.jdbc.internal.lanes;
