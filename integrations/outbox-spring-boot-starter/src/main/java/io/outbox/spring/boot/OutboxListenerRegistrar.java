package io.outbox.spring.boot;

import io.outbox.AsyncEventListener;
import io.outbox.BoundEventListener;
import io.outbox.EventListener;
import io.outbox.policy.ListenerPolicy;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spring.boot.wiring.DeclaredPolicy;
import io.outbox.spring.boot.wiring.MethodListener;
import io.outbox.spring.boot.wiring.SpringSettings;
import io.outbox.util.PrintableLogger;
import io.outbox.wiring.OutboxConfigurationException;
import io.outbox.wiring.listener.AnnotatedListeners;
import io.outbox.wiring.listener.ListenerAddress;
import io.outbox.wiring.listener.ListenerPolicies;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/**
 * Registers beans and methods with {@link OutboxListener}, and beans that are {@link
 * BoundEventListener}s, after all beans are created and before delivery starts.
 */
public class OutboxListenerRegistrar implements SmartInitializingSingleton {

  private static final Logger LOG = PrintableLogger.of(OutboxListenerRegistrar.class);

  private final ConfigurableListableBeanFactory beans;
  private final DefaultListenerRegistry registry;
  private final AnnotatedListeners listeners;

  /**
   * Registers listeners in {@code registry}.
   *
   * @param registry null if the application has none; then annotated listeners are refused
   */
  public OutboxListenerRegistrar(
      ConfigurableListableBeanFactory beans, DefaultListenerRegistry registry) {
    this(beans, registry, Map.of());
  }

  /**
   * As above, with policies.
   *
   * @param policies by the names of listeners, as in the properties
   */
  public OutboxListenerRegistrar(
      ConfigurableListableBeanFactory beans,
      DefaultListenerRegistry registry,
      Map<String, OutboxProperties.Listener> policies) {
    this.beans = beans;
    this.registry = registry;
    this.listeners =
        new AnnotatedListeners(
            registry == null ? new DefaultListenerRegistry() : registry,
            new ListenerPolicies(SpringSettings.PREFIX, SpringSettings.listeners(policies)));
  }

  @Override
  public void afterSingletonsInstantiated() {
    for (String name : beans.getBeanNamesForType(Object.class)) {
      if (!ScopedProxyUtils.isScopedTarget(name)) {
        Class<?> type = shown(name, typeOf(name));
        if (type != null && !type.getName().startsWith("org.springframework.")) {
          registerClass(name, type);
        }
      }
    }
    listeners.complete();
  }

  /** Null if there is no telling: a lazy bean may be of a class that is not there. */
  private Class<?> typeOf(String name) {
    try {
      Class<?> type = AutoProxyUtils.determineTargetClass(beans, name);
      return type == null ? null : ClassUtils.getUserClass(type);
    } catch (RuntimeException | LinkageError e) {
      LOG.log(
          Level.DEBUG,
          () -> "the type of bean '" + name + "' is unknown; its listeners are not registered",
          e);
      return null;
    }
  }

  /** A lazy bean is made if what is known of it may hide an annotation. */
  private Class<?> shown(String name, Class<?> type) {
    return type != null
            && (EventListener.class.isAssignableFrom(type)
                || AsyncEventListener.class.isAssignableFrom(type))
            && Modifier.isAbstract(type.getModifiers())
            && beans.isSingleton(name)
        ? AopUtils.getTargetClass(beans.getBean(name))
        : type;
  }

  /** How many listeners were found. */
  int count() {
    return listeners.count();
  }

  private void registerClass(String name, Class<?> type) {
    if (BoundEventListener.class.isAssignableFrom(type)) {
      registerBound(name, type);
    } else if (AnnotationUtils.isCandidateClass(type, OutboxListener.class)) {
      OutboxListener annotation =
          AnnotatedElementUtils.findMergedAnnotation(type, OutboxListener.class);
      if (annotation != null) {
        registerAnnotated(name, type, annotation);
      }
      Map<Method, OutboxListener> methods = annotatedMethods(type);
      methods.forEach((method, found) -> registerMethod(name, type, method, found));
    }
  }

  private static Map<Method, OutboxListener> annotatedMethods(Class<?> type) {
    try {
      return MethodIntrospector.selectMethods(
          type,
          (MethodIntrospector.MetadataLookup<OutboxListener>)
              method -> AnnotatedElementUtils.findMergedAnnotation(method, OutboxListener.class));
    } catch (RuntimeException | LinkageError e) {
      LOG.log(
          Level.DEBUG,
          () -> "the methods of " + type + " are unknown; its listeners are not registered",
          e);
      return Map.of();
    }
  }

  private void registerBound(String name, Class<?> type) {
    if (AnnotatedElementUtils.hasAnnotation(type, OutboxListener.class)
        || !annotatedMethods(type).isEmpty()) {
      throw new OutboxConfigurationException(
          "The "
              + describe(name, type)
              + " is a BoundEventListener and has an @OutboxListener too.",
          "Remove the annotation, or implement EventListener instead.");
    }
    String where = requireRegistry(describe(name, type));
    listeners.add(beans.getBean(name, BoundEventListener.class), where);
  }

  private void registerAnnotated(String name, Class<?> type, OutboxListener annotation) {
    String where = describe(name, type);
    register(annotation, where, () -> AnnotatedListeners.listener(beans.getBean(name), where));
  }

  private void registerMethod(
      String name, Class<?> type, Method method, OutboxListener annotation) {
    String where = "method " + method.getName() + " of " + describe(name, type);
    register(annotation, where, () -> MethodListener.of(beans.getBean(name), method, where));
  }

  private void register(OutboxListener annotation, String where, Supplier<EventListener> listener) {
    ListenerAddress address =
        ListenerAddress.of(
            where,
            annotation.eventType(),
            annotation.eventTypeClass(),
            annotation.aggregateType(),
            annotation.aggregateTypeClass(),
            annotation.subscription());
    ListenerPolicy policy =
        DeclaredPolicy.of(annotation, name -> beans.getBean(name, ListenerPolicy.class), where);
    listeners.add(address, listener.get(), policy, requireRegistry(where));
  }

  private String requireRegistry(String where) {
    if (registry == null) {
      throw new OutboxConfigurationException(
          "The "
              + where
              + " is an outbox listener, but the application's ListenerRegistry is not the one"
              + " DefaultListenerRegistry that listeners are registered in.",
          "Make the ListenerRegistry bean a DefaultListenerRegistry, or find listeners in your own"
              + " and remove the annotation.");
    }
    return where;
  }

  private static String describe(String name, Class<?> type) {
    return "bean '" + name + "' (" + type.getName() + ")";
  }
}
