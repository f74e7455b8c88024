package io.outbox.spring.boot.wiring;

import io.outbox.EventListener;
import io.outbox.wiring.OutboxConfigurationException;
import io.outbox.wiring.listener.ListenerMethod;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ReflectionUtils;

/** Calls a method of a bean with what it asks for. */
public final class MethodListener {

  private MethodListener() {}

  /** Checks the method; {@code where} is for messages. */
  public static EventListener of(Object bean, Method method, String where) {
    if (Modifier.isPrivate(method.getModifiers())) {
      throw ListenerMethod.refused(where, "is private");
    }
    if (Modifier.isFinal(method.getModifiers()) && AopUtils.isCglibProxy(bean)) {
      throw ListenerMethod.refused(
          where, "is final, and its bean is a proxy that cannot override it");
    }
    ListenerMethod signature =
        ListenerMethod.of(
            where, List.of(method.getGenericParameterTypes()), method.getGenericReturnType());
    Method invocable = invocable(bean, method, where);
    return signature.calledBy(arguments -> invoke(bean, invocable, arguments));
  }

  /** Through the proxy, if there is one. */
  private static Method invocable(Object bean, Method method, String where) {
    try {
      Method invocable = AopUtils.selectInvocableMethod(method, bean.getClass());
      ReflectionUtils.makeAccessible(invocable);
      return invocable;
    } catch (IllegalStateException e) {
      throw new OutboxConfigurationException(
          "The " + where + " cannot be called through the proxy of its bean.",
          "Declare it in an interface that the bean implements, or use proxies of the class"
              + " (spring.aop.proxy-target-class=true, the default).",
          e);
    }
  }

  private static Object invoke(Object bean, Method method, Object[] arguments) throws Exception {
    try {
      return method.invoke(bean, arguments);
    } catch (InvocationTargetException e) {
      if (e.getTargetException() instanceof Error error) {
        throw error;
      }
      throw (Exception) e.getTargetException();
    }
  }
}
