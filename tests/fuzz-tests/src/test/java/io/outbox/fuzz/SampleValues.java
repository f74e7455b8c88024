package io.outbox.fuzz;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;

/** A harmless value of any type; null if there is none. */
final class SampleValues {

  private static final int DEEPEST = 3;

  private static final Map<Class<?>, Object> KNOWN =
      Map.ofEntries(
          Map.entry(String.class, "text"),
          Map.entry(Object.class, "text"),
          Map.entry(CharSequence.class, "text"),
          Map.entry(int.class, 1),
          Map.entry(Integer.class, 1),
          Map.entry(long.class, 1L),
          Map.entry(Long.class, 1L),
          Map.entry(double.class, 1.0),
          Map.entry(boolean.class, true),
          Map.entry(Boolean.class, true),
          Map.entry(char.class, 'x'),
          Map.entry(Duration.class, Duration.ofSeconds(1)),
          Map.entry(Instant.class, Instant.EPOCH),
          Map.entry(Clock.class, Clock.systemUTC()),
          Map.entry(Class.class, String.class),
          Map.entry(DataSource.class, database()),
          Map.entry(Throwable.class, new IllegalStateException("sample")),
          Map.entry(Exception.class, new IllegalStateException("sample")),
          Map.entry(List.class, List.of()),
          Map.entry(Collection.class, List.of()),
          Map.entry(Iterable.class, List.of()),
          Map.entry(Set.class, Set.of()),
          Map.entry(Map.class, Map.of()),
          Map.entry(Optional.class, Optional.empty()));

  private SampleValues() {}

  private static DataSource database() {
    JdbcDataSource database = new JdbcDataSource();
    database.setURL("jdbc:h2:mem:");
    return database;
  }

  static Object[] arguments(Executable called) {
    return arguments(called, 0);
  }

  static Object of(Class<?> type) {
    return of(type, 0);
  }

  private static Object[] arguments(Executable called, int depth) {
    return Arrays.stream(called.getParameterTypes()).map(type -> of(type, depth)).toArray();
  }

  private static Object of(Class<?> type, int depth) {
    if (KNOWN.containsKey(type)) {
      return KNOWN.get(type);
    } else if (type.isEnum()) {
      return type.getEnumConstants()[0];
    } else if (type.isArray()) {
      return Array.newInstance(type.getComponentType(), 0);
    } else if (type.isInterface() && !type.isSealed()) {
      return Proxy.newProxyInstance(
          type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> answer(method));
    }
    return depth == DEEPEST ? null : made(type, depth);
  }

  private static Object answer(Method method) {
    return method.getReturnType() == void.class ? null : of(method.getReturnType(), DEEPEST);
  }

  /** By a static method or a constructor, the shortest first. */
  private static Object made(Class<?> type, int depth) {
    List<Executable> ways = new ArrayList<>();
    for (Method method : type.getDeclaredMethods()) {
      if (Modifier.isStatic(method.getModifiers()) && type == method.getReturnType()) {
        ways.add(method);
      }
    }
    Class<?> outer = type.getDeclaringClass();
    if (outer != null) {
      for (Method method : outer.getDeclaredMethods()) {
        if (Modifier.isStatic(method.getModifiers()) && type == method.getReturnType()) {
          ways.add(method);
        }
      }
    }
    if (!Modifier.isAbstract(type.getModifiers())) {
      ways.addAll(List.of(type.getDeclaredConstructors()));
    }
    ways.removeIf(way -> !Modifier.isPublic(way.getModifiers()));
    ways.sort((a, b) -> Integer.compare(a.getParameterCount(), b.getParameterCount()));
    for (Executable way : ways) {
      try {
        Object[] arguments = arguments(way, depth + 1);
        Object made =
            way instanceof Constructor<?> constructor
                ? constructor.newInstance(arguments)
                : ((Method) way).invoke(null, arguments);
        if (made != null) {
          return made;
        }
      } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
        continue;
      }
    }
    return null;
  }
}
