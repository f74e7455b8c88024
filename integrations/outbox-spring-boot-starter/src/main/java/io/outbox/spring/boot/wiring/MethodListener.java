package io.outbox.spring.boot.wiring;

import io.outbox.AsyncEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.PayloadParseException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.ResolvableType;
import org.springframework.util.ReflectionUtils;

/** Calls a method of a bean with what it asks for. */
public final class MethodListener {

  private static final String ACTION =
      "Let it take an EventEnvelope, or the payload, or both, and return nothing or a"
          + " DispatchResult, or a CompletionStage of either to answer later, as in:"
          + " void onOrderPlaced(OrderPlaced payload)";

  private final Object bean;
  private final Method method;
  private final List<Argument> arguments;

  private MethodListener(Object bean, Method method, List<Argument> arguments) {
    this.bean = bean;
    this.method = method;
    this.arguments = arguments;
  }

  /** Takes a value from an event. */
  private interface Argument {
    Object of(EventEnvelope event);
  }

  /** Checks the method; {@code where} is for messages. */
  public static EventListener of(Object bean, Method method, String where) {
    if (Modifier.isPrivate(method.getModifiers())) {
      throw refused(where, "is private");
    }
    if (Modifier.isFinal(method.getModifiers()) && AopUtils.isCglibProxy(bean)) {
      throw refused(where, "is final, and its bean is a proxy that cannot override it");
    }
    Class<?> result = method.getReturnType();
    boolean async = CompletionStage.class.isAssignableFrom(result);
    if (async ? !answers(method) : !isResult(result)) {
      throw refused(where, "returns " + method.getGenericReturnType().getTypeName());
    }
    Parameter[] parameters = method.getParameters();
    long envelopes =
        Arrays.stream(parameters).filter(p -> p.getType() == EventEnvelope.class).count();
    long payloads = parameters.length - envelopes;
    if (parameters.length == 0 || envelopes > 1 || payloads > 1) {
      throw refused(where, "takes " + describe(parameters));
    }
    List<Argument> arguments =
        Arrays.stream(parameters).map(parameter -> argument(parameter, where)).toList();
    MethodListener listener = new MethodListener(bean, invocable(bean, method, where), arguments);
    if (async) {
      AsyncEventListener later = listener::start;
      return later.asEventListener();
    }
    return event -> (DispatchResult) listener.invoke(event);
  }

  private static boolean isResult(Class<?> type) {
    return type == void.class || type == Void.class || DispatchResult.class.isAssignableFrom(type);
  }

  /** Whether it is a stage of a result, or of nothing. */
  private static boolean answers(Method method) {
    Class<?> answer =
        ResolvableType.forMethodReturnType(method).as(CompletionStage.class).getGeneric().resolve();
    return answer != null && isResult(answer);
  }

  private static String describe(Parameter[] parameters) {
    return parameters.length == 0
        ? "no parameters"
        : String.join(", ", Arrays.stream(parameters).map(p -> p.getType().getTypeName()).toList());
  }

  private static Argument argument(Parameter parameter, String where) {
    Class<?> type = parameter.getType();
    if (type == EventEnvelope.class) {
      return event -> event;
    } else if (type == String.class) {
      return MethodListener::json;
    } else if (type == byte[].class) {
      return MethodListener::bytes;
    } else if (type.isPrimitive() || !isReadable(parameter.getParameterizedType())) {
      throw refused(
          where,
          "takes a "
              + parameter.getParameterizedType().getTypeName()
              + ", into which a payload cannot be read: it is read into a class, such as a record, an"
              + " array or a Map<String, Object>");
    }
    return event -> event.payload(type);
  }

  /** A codec reads into a class: what it is to put into a list of orders, it does not know. */
  private static boolean isReadable(Type type) {
    if (type instanceof ParameterizedType generic) {
      Type[] arguments = generic.getActualTypeArguments();
      int from = generic.getRawType() == Map.class && arguments[0] == String.class ? 1 : 0;
      return Arrays.stream(arguments).skip(from).allMatch(MethodListener::isAnything);
    }
    return type instanceof Class<?>;
  }

  private static boolean isAnything(Type type) {
    return type == Object.class
        || (type instanceof WildcardType wildcard
            && wildcard.getLowerBounds().length == 0
            && wildcard.getUpperBounds()[0] == Object.class);
  }

  private static String json(EventEnvelope event) {
    if (event.payloadJson() == null) {
      throw new PayloadParseException(
          "the payload of event " + event.eventId() + " is bytes, not JSON");
    }
    return event.payloadJson();
  }

  private static byte[] bytes(EventEnvelope event) {
    if (event.payloadBytes() == null) {
      throw new PayloadParseException(
          "the payload of event " + event.eventId() + " is JSON, not bytes");
    }
    return event.payloadBytes();
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

  private static OutboxConfigurationException refused(String where, String why) {
    return new OutboxConfigurationException(
        "The " + where + " cannot be an outbox listener: it " + why + ".", ACTION);
  }

  /** The same stage, so that it can be canceled; a stage of nothing answers null. */
  @SuppressWarnings("unchecked")
  private CompletionStage<DispatchResult> start(EventEnvelope event) throws Exception {
    return (CompletionStage<DispatchResult>) invoke(event);
  }

  private Object invoke(EventEnvelope event) throws Exception {
    Object[] values = arguments.stream().map(argument -> argument.of(event)).toArray();
    try {
      return method.invoke(bean, values);
    } catch (InvocationTargetException e) {
      if (e.getTargetException() instanceof Error error) {
        throw error;
      }
      throw (Exception) e.getTargetException();
    }
  }
}
