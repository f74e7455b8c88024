/** Two databases in one application, each with its own outbox. */
package io.outbox.samples.multids;
