/** JSON through Jackson 2. */
package io.outbox.jackson2;
