/** What stores, purgers and the schema share; not for users. */
package io.outbox.jdbc.internal;
