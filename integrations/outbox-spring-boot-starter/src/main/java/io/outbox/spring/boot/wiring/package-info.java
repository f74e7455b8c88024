/** What the auto-configurations are made of; nothing for applications to call. */
package io.outbox.spring.boot.wiring;
