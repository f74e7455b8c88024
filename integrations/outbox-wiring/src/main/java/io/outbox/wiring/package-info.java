/** For integrations, not for applications: makes an outbox of the settings of any framework. */
package io.outbox.wiring;
