/** JSON through Jackson 3. */
package io.outbox.jackson3;
