package io.outbox.micronaut;

import io.micronaut.context.BeanContext;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.processor.ExecutableMethodProcessor;
import io.micronaut.core.type.Argument;
import io.micronaut.core.util.StringUtils;
import io.micronaut.inject.BeanDefinition;
import io.micronaut.inject.ExecutableMethod;
import io.outbox.annotation.OutboxListener;
import io.outbox.annotation.support.FoundByMicronaut;
import io.outbox.wiring.listener.AnnotatedListeners;
import io.outbox.wiring.listener.ListenerAddress;
import io.outbox.wiring.listener.ListenerMethod;
import jakarta.inject.Singleton;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Registers the methods and classes with {@link OutboxListener} that Micronaut has found when the
 * application was compiled. Methods are called without reflection.
 */
@Singleton
@Requires(property = OutboxConfiguration.PREFIX + ".enabled", notEquals = StringUtils.FALSE)
final class ListenerMethods implements ExecutableMethodProcessor<FoundByMicronaut> {

  private final BeanContext beans;
  private final AnnotatedListeners listeners;
  private final Set<BeanDefinition<?>> annotatedClasses = new HashSet<>();

  ListenerMethods(BeanContext beans, AnnotatedListeners listeners) {
    this.beans = beans;
    this.listeners = listeners;
  }

  /** Of an annotated class, Micronaut shows every public method, each with the annotation. */
  @Override
  public synchronized void process(BeanDefinition<?> definition, ExecutableMethod<?, ?> method) {
    if (isReplaced(definition)) {
      return;
    }
    if (!definition.hasAnnotation(OutboxListener.class) || isAnnotatedItself(method)) {
      registerMethod(definition, method);
    } else if (annotatedClasses.add(definition)) {
      String where = "bean " + definition.getBeanType().getName();
      listeners.add(
          address(definition.synthesize(OutboxListener.class), where),
          AnnotatedListeners.listener(beans.getBean(definition), where),
          where);
    }
  }

  /** Micronaut shows methods of a bean that another one replaces, too. */
  private boolean isReplaced(BeanDefinition<?> definition) {
    return !beans.getBeanDefinitions(definition.getBeanType()).contains(definition);
  }

  private static boolean isAnnotatedItself(ExecutableMethod<?, ?> method) {
    return method.getTargetMethod().isAnnotationPresent(OutboxListener.class);
  }

  private <T> void registerMethod(BeanDefinition<T> definition, ExecutableMethod<?, ?> method) {
    @SuppressWarnings("unchecked") // it is a method of this bean
    ExecutableMethod<T, Object> ofBean = (ExecutableMethod<T, Object>) method;
    String where =
        "method " + method.getMethodName() + " of bean " + definition.getBeanType().getName();
    List<Type> parameters = Arrays.stream(method.getArguments()).map(Argument::asType).toList();
    ListenerMethod signature =
        ListenerMethod.of(where, parameters, method.getReturnType().asArgument().asType());
    T bean = beans.getBean(definition);
    listeners.add(
        address(method.synthesize(OutboxListener.class), where),
        signature.calledBy(arguments -> ofBean.invoke(bean, arguments)),
        where);
  }

  private static ListenerAddress address(OutboxListener annotation, String where) {
    return ListenerAddress.of(
        where,
        ListenerAddress.eventType(where, annotation.value(), annotation.eventType()),
        annotation.eventTypeClass(),
        annotation.aggregateType(),
        annotation.aggregateTypeClass(),
        annotation.subscription());
  }
}
