package io.outbox.annotation.support;

import io.micronaut.context.annotation.Executable;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * On {@link io.outbox.annotation.OutboxListener}: Micronaut's compiler finds annotated methods, and
 * makes what calls them without reflection. Without Micronaut nobody looks at it. It stands between
 * the two annotations so that javac reads nothing of Micronaut's, and does not warn, where
 * Micronaut is missing.
 */
@Executable(processOnStartup = true)
@Target(ElementType.ANNOTATION_TYPE)
@Retention(RetentionPolicy.RUNTIME)
@SuppressWarnings("exports") // nobody needs the other one
public @interface FoundByMicronaut {}
