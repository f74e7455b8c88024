package io.outbox.it;

import io.outbox.testdb.TestDatabase;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs a test, which takes a {@link TestDatabase}, on H2 and MariaDB; in the profile {@code mysql}
 * on MySQL.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Tag("each-database")
@ParameterizedTest(name = "{0}")
@MethodSource("io.outbox.it.Databases#withoutNotifications")
@interface EachWithoutNotifications {}
