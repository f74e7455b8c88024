package io.outbox.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.outbox.fakes.CapturedLogs;
import io.outbox.spi.MetricsExporter;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SafeMetricsTest {

  static Stream<Method> methods() {
    return Arrays.stream(MetricsExporter.class.getMethods())
        .filter(method -> !Modifier.isStatic(method.getModifiers()));
  }

  private static MetricsExporter exporter(InvocationHandler handler) {
    return (MetricsExporter)
        Proxy.newProxyInstance(
            SafeMetricsTest.class.getClassLoader(),
            new Class<?>[] {MetricsExporter.class},
            handler);
  }

  private static Object[] argumentsOf(Method method) {
    return Arrays.stream(method.getParameterTypes())
        .map(type -> type == int.class ? (Object) 7 : type == long.class ? (Object) 7L : null)
        .toArray();
  }

  @ParameterizedTest
  @MethodSource("methods")
  void everythingIsPassedOn(Method method) throws Exception {
    List<String> called = new ArrayList<>();
    SafeMetrics metrics =
        new SafeMetrics(
            exporter(
                (proxy, target, args) -> {
                  called.add(target.getName() + (args == null ? "" : Arrays.toString(args)));
                  return target.getReturnType() == boolean.class ? true : null;
                }));
    Object[] arguments = argumentsOf(method);
    Object result = method.invoke(metrics, arguments);

    assertThat(called)
        .containsExactly(
            method.getName() + (arguments.length == 0 ? "" : Arrays.toString(arguments)));
    assertThat(result).isEqualTo(method.getReturnType() == boolean.class ? true : null);
  }

  @ParameterizedTest
  @MethodSource("methods")
  void R1_whatAnExporterThrowsStaysThere(Method method) {
    for (Throwable thrown :
        List.of(new IllegalStateException("injected"), new NoSuchMethodError("injected"))) {
      SafeMetrics metrics =
          new SafeMetrics(
              exporter(
                  (proxy, target, args) -> {
                    throw thrown;
                  }));
      assertThatCode(() -> method.invoke(metrics, argumentsOf(method))).doesNotThrowAnyException();
    }
    assertThat(CapturedLogs.of(SafeMetrics.class, Level.WARNING)).hasSize(2);
  }

  @Test
  void R17_anExporterIsNeeded() {
    assertThatNullPointerException().isThrownBy(() -> new SafeMetrics(null));
  }
}
