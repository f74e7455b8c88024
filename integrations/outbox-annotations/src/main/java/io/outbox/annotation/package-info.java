/** The annotation of listeners, for frameworks other than Spring. */
package io.outbox.annotation;
