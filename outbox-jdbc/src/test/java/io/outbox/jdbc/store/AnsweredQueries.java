package io.outbox.jdbc.store;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.function.Consumer;

/** A connection that tells of each prepared query when it was answered. */
final class AnsweredQueries {

  private AnsweredQueries() {}

  static Connection of(Connection real, Consumer<String> answered) {
    return proxy(
        Connection.class,
        (self, method, args) -> {
          Object result = invoke(real, method, args);
          return method.getName().equals("prepareStatement")
              ? of((PreparedStatement) result, (String) args[0], answered)
              : result;
        });
  }

  private static PreparedStatement of(
      PreparedStatement real, String sql, Consumer<String> answered) {
    return proxy(
        PreparedStatement.class,
        (self, method, args) -> {
          Object result = invoke(real, method, args);
          if (method.getName().equals("executeQuery")) {
            answered.accept(sql);
          }
          return result;
        });
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static Object invoke(Object real, Method method, Object[] args) throws Throwable {
    try {
      return method.invoke(real, args);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
