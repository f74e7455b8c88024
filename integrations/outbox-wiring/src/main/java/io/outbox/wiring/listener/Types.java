package io.outbox.wiring.listener;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/** What there is to know about a type in a signature. */
final class Types {

  private Types() {}

  /** {@code Object} if it is neither a class nor made of one. */
  static Class<?> raw(Type type) {
    if (type instanceof ParameterizedType generic) {
      return (Class<?>) generic.getRawType();
    }
    if (type instanceof WildcardType wildcard) {
      return raw(wildcard.getUpperBounds()[0]);
    }
    return type instanceof Class<?> plain ? plain : Object.class;
  }

  /** A codec reads into a class: what it is to put into a list of orders, it does not know. */
  static boolean isReadable(Type type) {
    if (type instanceof ParameterizedType generic) {
      Type[] arguments = generic.getActualTypeArguments();
      int from = generic.getRawType() == Map.class && arguments[0] == String.class ? 1 : 0;
      return Arrays.stream(arguments).skip(from).allMatch(Types::isAnything);
    }
    return type instanceof Class<?>;
  }

  private static boolean isAnything(Type type) {
    return type == Object.class
        || (type instanceof WildcardType wildcard
            && wildcard.getLowerBounds().length == 0
            && wildcard.getUpperBounds()[0] == Object.class);
  }

  /** What a type that is a stage is a stage of; {@code Object} if it does not say. */
  static Type stageOf(Type type) {
    Class<?> raw = raw(type);
    if (raw == CompletionStage.class) {
      return type instanceof ParameterizedType generic
          ? generic.getActualTypeArguments()[0]
          : Object.class;
    }
    Type parent =
        Stream.concat(
                Stream.of(raw.getGenericInterfaces()),
                Stream.ofNullable(raw.getGenericSuperclass()))
            .filter(candidate -> CompletionStage.class.isAssignableFrom(raw(candidate)))
            .findFirst()
            .orElse(CompletionStage.class);
    return inserted(stageOf(parent), type);
  }

  /** A type variable's value, if the type has one for it. */
  private static Type inserted(Type found, Type type) {
    if (found instanceof TypeVariable<?> && type instanceof ParameterizedType generic) {
      int index = List.of(raw(type).getTypeParameters()).indexOf(found);
      return index < 0 ? found : generic.getActualTypeArguments()[index];
    }
    return found;
  }
}
