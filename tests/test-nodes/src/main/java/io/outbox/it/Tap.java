package io.outbox.it;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Stands before an object: counts the calls of its interface, and lets a test act on them.
 * Thread-safe.
 */
final class Tap<T> {

  /** What to do instead of a call; {@link Call#proceed()} makes it. */
  @FunctionalInterface
  interface Behaviour {
    Object on(Call call) throws Throwable;
  }

  /** A call that was made. */
  record Call(Object target, Method method, Object[] arguments) {
    Object proceed() throws Throwable {
      try {
        return method.invoke(target, arguments);
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
    }
  }

  private final Class<T> type;
  private final T proxy;
  private final Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();
  private final Map<String, Behaviour> behaviours = new ConcurrentHashMap<>();

  Tap(Class<T> type, T target) {
    this.type = type;
    this.proxy =
        type.cast(
            Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, arguments) -> called(new Call(target, method, arguments))));
  }

  private Object called(Call call) throws Throwable {
    String name = call.method().getName();
    calls.computeIfAbsent(name, key -> new AtomicInteger()).incrementAndGet();
    return behaviours.getOrDefault(name, Call::proceed).on(call);
  }

  T proxy() {
    return proxy;
  }

  /** Acts on every call of a method from now on. */
  Tap<T> on(String method, Behaviour behaviour) {
    behaviours.put(checked(method), behaviour);
    return this;
  }

  /** The next {@code times} calls of a method throw this. */
  Tap<T> failing(String method, int times, Throwable failure) {
    AtomicInteger left = new AtomicInteger(times);
    return on(
        method,
        call -> {
          if (left.getAndDecrement() > 0) {
            throw failure;
          }
          return call.proceed();
        });
  }

  /** How often a method was called. */
  int calls(String method) {
    AtomicInteger count = calls.get(checked(method));
    return count == null ? 0 : count.get();
  }

  /** A method that was renamed shall not go unnoticed. */
  private String checked(String method) {
    if (Arrays.stream(type.getMethods()).noneMatch(known -> known.getName().equals(method))) {
      throw new IllegalArgumentException(type + " has no method " + method);
    }
    return method;
  }
}
