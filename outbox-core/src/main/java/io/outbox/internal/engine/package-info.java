/** The engines: parts put together, started and stopped. Not exported. */
package io.outbox.internal.engine;
