/** What frameworks look for on the annotations of this module. */
package io.outbox.annotation.support;
