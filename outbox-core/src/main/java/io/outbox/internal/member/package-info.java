/** What other nodes and operators tell this one: members and pauses. Not exported. */
package io.outbox.internal.member;
