package io.outbox.it;

import io.outbox.testdb.TestDatabase;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs a test, which takes a {@link TestDatabase}, on H2, PostgreSQL and MariaDB. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedTest(name = "{0}")
@EnumSource(
    value = TestDatabase.class,
    names = {"H2", "POSTGRES", "MARIADB"})
@interface EachDatabase {}
