/** Two databases in one application, each with an outbox of its own. */
package io.outbox.samples.multids;
