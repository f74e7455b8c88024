/** The settings of an outbox and its parts: one place for fields, defaults and checks. */
package io.outbox.internal.settings;
