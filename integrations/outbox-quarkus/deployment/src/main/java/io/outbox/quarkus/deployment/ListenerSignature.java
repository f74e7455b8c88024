package io.outbox.quarkus.deployment;

import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Set;
import org.jboss.jandex.DotName;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.Type;

/**
 * What a listener method takes and returns.
 *
 * @param types of its parameters
 */
record ListenerSignature(List<Type> types, boolean isAsync, boolean isUni) {

  private static final String ACTION =
      "Let it take an EventEnvelope, or the payload, or both, and return nothing or a"
          + " DispatchResult, or a CompletionStage or Uni of either to answer later, as in:"
          + " void onOrderPlaced(OrderPlaced payload)";

  private static final Set<DotName> LATER = Set.of(Names.STAGE, Names.FUTURE, Names.UNI);

  /**
   * Reads the signature of a method.
   *
   * @throws IllegalArgumentException if it cannot be a listener; the message says what to do
   */
  static ListenerSignature of(MethodInfo method, String where) {
    if (Modifier.isPrivate(method.flags()) || Modifier.isStatic(method.flags())) {
      throw refused(where, "is private or static");
    }
    boolean async = LATER.contains(method.returnType().name());
    if (async ? !answers(method.returnType()) : !isResult(method.returnType())) {
      throw refused(where, "returns " + method.returnType());
    }
    List<Type> types = method.parameterTypes();
    long envelopes = types.stream().filter(type -> type.name().equals(Names.ENVELOPE)).count();
    if (types.isEmpty() || envelopes > 1 || types.size() - envelopes > 1) {
      throw refused(where, "takes " + (types.isEmpty() ? "no parameters" : types));
    }
    for (Type type : types) {
      if (!isReadable(type)) {
        throw refused(
            where,
            "takes a "
                + type
                + ", into which a payload cannot be read: it is read into a class, such as a record,"
                + " an array or a Map<String, Object>");
      }
    }
    return new ListenerSignature(types, async, method.returnType().name().equals(Names.UNI));
  }

  /** The names of the classes of its parameters. */
  List<String> parameters() {
    return types.stream().map(type -> type.name().toString()).toList();
  }

  private static boolean isResult(Type type) {
    String name = type.name().toString();
    return type.kind() == Type.Kind.VOID
        || name.equals(Void.class.getName())
        || name.equals(Names.RESULT.toString())
        || name.startsWith(Names.RESULT + "$");
  }

  /** Whether it is a stage of a result, or of nothing. */
  private static boolean answers(Type type) {
    return type.kind() == Type.Kind.PARAMETERIZED_TYPE
        && isResult(type.asParameterizedType().arguments().get(0));
  }

  /** A codec reads into a class: what it is to put into a list of orders, it does not know. */
  private static boolean isReadable(Type type) {
    return switch (type.kind()) {
      case CLASS, ARRAY -> true;
      case PARAMETERIZED_TYPE -> {
        List<Type> arguments = type.asParameterizedType().arguments();
        boolean isObject =
            type.name().equals(Names.MAP)
                && arguments.get(0).name().toString().equals(String.class.getName());
        yield arguments.stream().skip(isObject ? 1 : 0).allMatch(ListenerSignature::isAnything);
      }
      default -> false;
    };
  }

  private static boolean isAnything(Type type) {
    return type.kind() == Type.Kind.WILDCARD_TYPE
        ? type.asWildcardType().superBound() == null
            && type.asWildcardType().extendsBound().name().equals(DotName.OBJECT_NAME)
        : type.name().equals(DotName.OBJECT_NAME);
  }

  private static IllegalArgumentException refused(String where, String why) {
    return new IllegalArgumentException(
        "The " + where + " cannot be an outbox listener: it " + why + ". " + ACTION);
  }
}
