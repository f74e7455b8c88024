/** What the policies of listeners mean for their calls. Not exported. */
package io.outbox.internal.policy;
