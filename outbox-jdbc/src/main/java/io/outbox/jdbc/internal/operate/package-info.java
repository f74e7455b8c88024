/** What an operator sees and does. */
package io.outbox.jdbc.internal.operate;
