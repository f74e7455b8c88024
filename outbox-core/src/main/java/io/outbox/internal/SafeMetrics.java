package io.outbox.internal;

import io.outbox.spi.MetricsExporter;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger.Level;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Objects;

/** Keeps what an exporter throws away from the engine. Forwards every method. */
public final class SafeMetrics implements InvocationHandler {

  private final MetricsExporter target;
  private final RepeatedWarning warning =
      new RepeatedWarning(PrintableLogger.of(SafeMetrics.class), Level.WARNING);

  private SafeMetrics(MetricsExporter target) {
    this.target = Objects.requireNonNull(target, "metrics");
  }

  /** None around the exporter that ignores everything: nothing is thrown there. */
  public static MetricsExporter around(MetricsExporter target) {
    return target == MetricsExporter.NOOP
        ? target
        : (MetricsExporter)
            Proxy.newProxyInstance(
                MetricsExporter.class.getClassLoader(),
                new Class<?>[] {MetricsExporter.class},
                new SafeMetrics(target));
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] args) {
    try {
      return method.invoke(target, args);
    } catch (Throwable e) { // a missing class of a metrics library is an Error
      Throwable cause = e instanceof InvocationTargetException ? e.getCause() : e;
      warning.log(() -> "the metrics exporter failed", cause);
      return method.getReturnType() == boolean.class ? false : null;
    }
  }
}
