/** The stored subscriptions; not for users. */
package io.outbox.jdbc.internal.subscription;
