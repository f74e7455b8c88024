/** Reading and writing JSON without a library. Not exported. */
package io.outbox.internal.json;
