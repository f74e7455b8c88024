/** What every writer does around its insert. Exported to writers of other modules. */
package io.outbox.internal.write;
