package io.outbox.spring;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.List;
import javax.sql.DataSource;

/** A DataSource that notes what the thread that made it does with the database. */
final class Watched {

  private Watched() {}

  static DataSource dataSource(DataSource target, List<String> calls) {
    return proxy(DataSource.class, target, calls, Thread.currentThread());
  }

  private static <T> T proxy(Class<T> type, T target, List<String> calls, Thread watched) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (Thread.currentThread() == watched) {
                calls.add(method.getName());
              }
              try {
                Object result = method.invoke(target, arguments);
                return result instanceof Connection connection
                    ? proxy(Connection.class, connection, calls, watched)
                    : result;
              } catch (InvocationTargetException e) {
                throw e.getTargetException();
              }
            }));
  }
}
