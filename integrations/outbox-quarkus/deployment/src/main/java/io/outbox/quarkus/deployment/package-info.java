/** The build steps of the Quarkus extension; not for applications. */
package io.outbox.quarkus.deployment;
