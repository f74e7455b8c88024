/**
 * Reading and writing JSON without a library, and how codecs with a library fail. Exported to the
 * codecs of Jackson alone.
 */
package io.outbox.internal.json;
