package io.outbox.spring.boot;

import io.outbox.AsyncEventListener;
import io.outbox.BoundEventListener;
import io.outbox.EventListener;
import io.outbox.policy.ListenerPolicy;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spring.boot.wiring.ListenerAddress;
import io.outbox.spring.boot.wiring.ListenerPolicies;
import io.outbox.spring.boot.wiring.MethodListener;
import io.outbox.spring.boot.wiring.OutboxConfigurationException;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.Map;
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
  private final ListenerPolicies policies;
  private final Map<ListenerAddress, String> registered = new HashMap<>();

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
   * @param policies by event type, or by aggregate type, slash and event type
   */
  public OutboxListenerRegistrar(
      ConfigurableListableBeanFactory beans,
      DefaultListenerRegistry registry,
      Map<String, OutboxProperties.Listener> policies) {
    this.beans = beans;
    this.registry = registry;
    this.policies =
        new ListenerPolicies(policies, name -> beans.getBean(name, ListenerPolicy.class));
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
    policies.requireAllUsed();
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
    return registered.size();
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
    BoundEventListener listener = beans.getBean(name, BoundEventListener.class);
    ListenerAddress address = ListenerAddress.of(listener);
    String where = describe(name, type);
    register(address, policies.around(listener, address, null, where), where);
  }

  private void registerAnnotated(String name, Class<?> type, OutboxListener annotation) {
    String where = describe(name, type);
    ListenerAddress address = ListenerAddress.of(annotation, where);
    if (EventListener.class.isAssignableFrom(type)) {
      EventListener listener = beans.getBean(name, EventListener.class);
      register(address, policies.around(listener, address, annotation, where), where);
    } else if (AsyncEventListener.class.isAssignableFrom(type)) {
      EventListener listener = beans.getBean(name, AsyncEventListener.class).asEventListener();
      register(address, policies.around(listener, address, annotation, where), where);
    } else {
      throw new OutboxConfigurationException(
          "The "
              + where
              + " has an @OutboxListener but does not implement io.outbox.EventListener.",
          "Implement EventListener or AsyncEventListener, or put the annotation on a method of the"
              + " class.");
    }
  }

  private void registerMethod(
      String name, Class<?> type, Method method, OutboxListener annotation) {
    String where = "method " + method.getName() + " of " + describe(name, type);
    ListenerAddress address = ListenerAddress.of(annotation, where);
    EventListener listener = MethodListener.of(beans.getBean(name), method, where);
    register(address, policies.around(listener, address, annotation, where), where);
  }

  private void register(ListenerAddress address, EventListener listener, String where) {
    if (registry == null) {
      throw new OutboxConfigurationException(
          "The "
              + where
              + " is an outbox listener, but the application's ListenerRegistry is not the one"
              + " DefaultListenerRegistry that listeners are registered in.",
          "Make the ListenerRegistry bean a DefaultListenerRegistry, or find listeners in your own"
              + " and remove the annotation.");
    }
    String other = registered.putIfAbsent(address, where);
    IllegalStateException refused = null;
    try {
      if (other == null) {
        address.register(listener, registry);
        return;
      }
    } catch (IllegalStateException e) {
      other = "one that was registered by hand";
      refused = e;
    }
    throw new OutboxConfigurationException(
        "There are two listeners for " + address + ": " + other + ", and " + where + ".",
        "An event has one listener, unless all of them name a subscription. Remove one of them, give"
            + " one another event or aggregate type, or name a subscription on each; an"
            + " EventInterceptor bean sees every event.",
        refused);
  }

  private static String describe(String name, Class<?> type) {
    return "bean '" + name + "' (" + type.getName() + ")";
  }
}
