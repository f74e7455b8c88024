/** For frameworks: makes listeners of annotated beans and methods. */
package io.outbox.annotation.support;
