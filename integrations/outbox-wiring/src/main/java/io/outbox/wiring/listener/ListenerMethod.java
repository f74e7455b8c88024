package io.outbox.wiring.listener;

import io.outbox.AsyncEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.wiring.OutboxConfigurationException;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;

/**
 * The signature of an annotated method. Checked once, then {@linkplain #calledBy made a listener}
 * by whatever calls the method. Immutable.
 */
public final class ListenerMethod {

  private static final String ACTION =
      "Let it take an EventEnvelope, or the payload, or both, and return nothing or a"
          + " DispatchResult, or a CompletionStage of either to answer later, as in:"
          + " void onOrderPlaced(OrderPlaced payload)";

  private final List<EventArgument> arguments;
  private final boolean async;

  /** Calls the method of a bean. */
  @FunctionalInterface
  public interface Invoker {

    /**
     * Calls the method.
     *
     * @param arguments in the order of the parameters
     * @return what the method returned; null if it returns nothing
     * @throws Exception what the method threw, not wrapped
     */
    Object invoke(Object[] arguments) throws Exception;
  }

  private ListenerMethod(List<EventArgument> arguments, boolean async) {
    this.arguments = arguments;
    this.async = async;
  }

  /**
   * Checks a signature.
   *
   * @param where what is annotated, for messages, such as "method onOrder of Shop"
   * @param parameters the types of the parameters, with their type arguments
   * @param result the type of the result, with its type arguments
   * @throws OutboxConfigurationException if such a method cannot be a listener
   */
  public static ListenerMethod of(String where, List<? extends Type> parameters, Type result) {
    Objects.requireNonNull(where, "where");
    Objects.requireNonNull(parameters, "parameters");
    Objects.requireNonNull(result, "result");
    boolean async = CompletionStage.class.isAssignableFrom(Types.raw(result));
    if (!isResult(async ? Types.raw(Types.stageOf(result)) : Types.raw(result))) {
      throw refused(where, "returns " + result.getTypeName());
    }
    long envelopes = parameters.stream().filter(type -> type == EventEnvelope.class).count();
    if (parameters.isEmpty() || envelopes > 1 || parameters.size() - envelopes > 1) {
      throw refused(where, "takes " + describe(parameters));
    }
    return new ListenerMethod(
        parameters.stream().map(type -> argument(type, where)).toList(), async);
  }

  /** This method as a listener. */
  public EventListener calledBy(Invoker invoker) {
    Objects.requireNonNull(invoker, "invoker");
    if (async) {
      AsyncEventListener later = event -> stage(invoker.invoke(values(event)));
      return later.asEventListener();
    }
    return event -> (DispatchResult) invoker.invoke(values(event));
  }

  private Object[] values(EventEnvelope event) {
    return arguments.stream().map(argument -> argument.of(event)).toArray();
  }

  /** The same stage, so that it can be canceled; a stage of nothing answers null. */
  @SuppressWarnings("unchecked")
  private static CompletionStage<DispatchResult> stage(Object returned) {
    return (CompletionStage<DispatchResult>) returned;
  }

  private static boolean isResult(Class<?> type) {
    return type == void.class || type == Void.class || DispatchResult.class.isAssignableFrom(type);
  }

  private static EventArgument argument(Type type, String where) {
    EventArgument argument = EventArgument.of(type);
    if (argument == null) {
      throw refused(
          where,
          "takes a "
              + type.getTypeName()
              + ", into which a payload cannot be read: it is read into a class, such as a record, an"
              + " array or a Map<String, Object>");
    }
    return argument;
  }

  private static String describe(List<? extends Type> parameters) {
    return parameters.isEmpty()
        ? "no parameters"
        : String.join(", ", parameters.stream().map(Type::getTypeName).toList());
  }

  /**
   * A method cannot be a listener, for a reason that only the framework knows.
   *
   * @param where what is annotated
   * @param why such as "is private"
   */
  public static OutboxConfigurationException refused(String where, String why) {
    Objects.requireNonNull(where, "where");
    Objects.requireNonNull(why, "why");
    return new OutboxConfigurationException(
        "The " + where + " cannot be an outbox listener: it " + why + ".", ACTION);
  }
}
