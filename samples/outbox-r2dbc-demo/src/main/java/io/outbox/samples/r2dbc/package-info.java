/** Spring Boot with reactive transactions. */
package io.outbox.samples.r2dbc;
