/** For integrations, not for applications: makes listeners of annotated beans and methods. */
package io.outbox.wiring.listener;
