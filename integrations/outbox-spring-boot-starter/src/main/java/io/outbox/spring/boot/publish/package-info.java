/** The publishers, one auto-configuration and one set of properties each. */
package io.outbox.spring.boot.publish;
