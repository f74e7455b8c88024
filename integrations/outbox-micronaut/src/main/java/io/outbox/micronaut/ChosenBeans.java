package io.outbox.micronaut;

import io.micronaut.context.BeanContext;
import io.micronaut.context.annotation.Secondary;
import io.micronaut.core.annotation.AnnotationUtil;
import io.micronaut.inject.BeanDefinition;
import io.outbox.wiring.OutboxConfigurationException;
import jakarta.inject.Singleton;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Finds the beans of which the outbox takes one. A bean with a name or another qualifier is not
 * meant for it, unless it is primary: it may belong to a second outbox.
 */
@Singleton
final class ChosenBeans {

  private final BeanContext beans;

  ChosenBeans(BeanContext beans) {
    this.beans = beans;
  }

  /** The application's bean, else the outbox's own. */
  <T> T get(Class<T> type) {
    return find(type).orElseGet(() -> beans.getBean(type));
  }

  /** The application's bean, else the outbox's own, if it has one. */
  <T> Optional<T> find(Class<T> type) {
    Collection<BeanDefinition<T>> all = beans.getBeanDefinitions(type);
    List<BeanDefinition<T>> candidates = matching(all, BeanDefinition::isPrimary);
    if (candidates.isEmpty()) {
      candidates = matching(all, bean -> bean.getDeclaredQualifier() == null);
    }
    if (candidates.isEmpty()) {
      candidates = matching(all, ChosenBeans::isToBeReplaced);
    }
    requireOne(type, candidates);
    return candidates.stream().findFirst().map(beans::getBean);
  }

  private static <T> List<BeanDefinition<T>> matching(
      Collection<BeanDefinition<T>> all, Predicate<BeanDefinition<T>> condition) {
    return all.stream().filter(condition).toList();
  }

  /** As the outbox's own are. */
  private static boolean isToBeReplaced(BeanDefinition<?> bean) {
    return bean.hasDeclaredStereotype(Secondary.class)
        && bean.stringValue(AnnotationUtil.NAMED).isEmpty();
  }

  private static <T> void requireOne(Class<T> type, List<BeanDefinition<T>> candidates) {
    if (candidates.size() > 1) {
      throw new OutboxConfigurationException(
          "The outbox takes one "
              + type.getSimpleName()
              + ", but there are "
              + candidates.size()
              + ": "
              + String.join(", ", candidates.stream().map(Object::toString).toList())
              + ".",
          "Remove all but one, make one of them @Primary, or give a name (@Named) to those that are"
              + " not for it.");
    }
  }
}
