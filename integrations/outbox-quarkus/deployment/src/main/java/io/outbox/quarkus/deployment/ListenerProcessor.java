package io.outbox.quarkus.deployment;

import io.quarkus.arc.deployment.AutoAddScopeBuildItem;
import io.quarkus.arc.deployment.BeanDefiningAnnotationBuildItem;
import io.quarkus.arc.deployment.BeanDiscoveryFinishedBuildItem;
import io.quarkus.arc.deployment.InvokerFactoryBuildItem;
import io.quarkus.arc.deployment.UnremovableBeanBuildItem;
import io.quarkus.arc.deployment.ValidationPhaseBuildItem.ValidationErrorBuildItem;
import io.quarkus.arc.processor.BeanInfo;
import io.quarkus.arc.processor.BuiltinScope;
import io.quarkus.arc.processor.InvokerBuilder;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.annotations.BuildSteps;
import io.quarkus.deployment.builditem.CombinedIndexBuildItem;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.inject.spi.DefinitionException;
import java.util.List;

/** Finds listeners among the beans. */
@BuildSteps(onlyIf = OutboxEnabled.class)
class ListenerProcessor {

  @BuildStep
  void makeBeans(
      BuildProducer<BeanDefiningAnnotationBuildItem> annotations,
      BuildProducer<AutoAddScopeBuildItem> scopes,
      BuildProducer<UnremovableBeanBuildItem> unremovable) {
    annotations.produce(
        new BeanDefiningAnnotationBuildItem(
            Names.OUTBOX_LISTENER, BuiltinScope.SINGLETON.getName(), false));
    scopes.produce(
        AutoAddScopeBuildItem.builder()
            .containsAnnotations(Names.OUTBOX_LISTENER)
            .defaultScope(BuiltinScope.SINGLETON)
            .reason("it has a method with @OutboxListener")
            .build());
    unremovable.produce(
        new UnremovableBeanBuildItem(
            new UnremovableBeanBuildItem.BeanClassAnnotationExclusion(Names.OUTBOX_LISTENER)));
    unremovable.produce(UnremovableBeanBuildItem.beanTypes(Names.BOUND_EVENT_LISTENER));
  }

  @BuildStep
  void find(
      BeanDiscoveryFinishedBuildItem beans,
      InvokerFactoryBuildItem invokers,
      CombinedIndexBuildItem index,
      BuildProducer<ListenerMethodBuildItem> listeners,
      BuildProducer<ValidationErrorBuildItem> errors) {
    for (BeanInfo bean : beans.beanStream().classBeans()) {
      try {
        List<AnnotatedMethod> methods =
            AnnotatedMethod.of(bean.getTarget().get().asClass(), index.getComputingIndex());
        for (AnnotatedMethod method : methods) {
          listeners.produce(listener(bean, method, invokers));
        }
      } catch (IllegalArgumentException e) {
        errors.produce(new ValidationErrorBuildItem(new DefinitionException(e.getMessage())));
      }
    }
  }

  private static ListenerMethodBuildItem listener(
      BeanInfo bean, AnnotatedMethod found, InvokerFactoryBuildItem invokers) {
    ListenerSignature signature = ListenerSignature.of(found.method(), found.where());
    InvokerBuilder invoker = invokers.createInvoker(bean, found.method()).withInstanceLookup();
    if (signature.isUni()) {
      invoker.withReturnValueTransformer(Uni.class, "subscribeAsCompletionStage");
    }
    return new ListenerMethodBuildItem(found.where(), found.address(), signature, invoker.build());
  }
}
