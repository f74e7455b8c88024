package io.outbox.benchmarks.contestant;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import javax.sql.DataSource;

/**
 * Notes when the database had committed, at the driver: the same for every contestant, whatever it
 * does after a commit. Thread-safe.
 */
public final class CommitTimes {

  private final ThreadLocal<Long> last = new ThreadLocal<>();

  /** When the calling thread's last commit returned. */
  public long last() {
    return last.get();
  }

  DataSource watch(DataSource pool) {
    return proxy(
        DataSource.class,
        (proxy, method, args) -> {
          Object result = invoke(method, pool, args);
          return result instanceof Connection connection ? watch(connection) : result;
        });
  }

  private Connection watch(Connection connection) {
    return proxy(
        Connection.class,
        (proxy, method, args) -> {
          Object result = invoke(method, connection, args);
          if (method.getName().equals("commit")) {
            last.set(System.nanoTime());
          }
          return result;
        });
  }

  private static <T> T proxy(Class<T> type, java.lang.reflect.InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static Object invoke(Method method, Object target, Object[] args) throws Throwable {
    try {
      return method.invoke(target, args);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
