package io.outbox.quarkus.deployment;

import io.outbox.quarkus.runtime.ListenerDeclaration;
import io.outbox.quarkus.runtime.OutboxBeans;
import io.outbox.quarkus.runtime.OutboxBuildConfig;
import io.outbox.quarkus.runtime.OutboxDataSource;
import io.outbox.quarkus.runtime.OutboxHealthCheck;
import io.outbox.quarkus.runtime.OutboxJson;
import io.outbox.quarkus.runtime.OutboxLifecycle;
import io.outbox.quarkus.runtime.OutboxMetrics;
import io.outbox.quarkus.runtime.OutboxRecorder;
import io.outbox.quarkus.runtime.OutboxTraces;
import io.quarkus.agroal.spi.JdbcDataSourceBuildItem;
import io.quarkus.agroal.spi.JdbcDataSourceSchemaReadyBuildItem;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.arc.deployment.BeanContainerBuildItem;
import io.quarkus.arc.deployment.SyntheticBeansRuntimeInitBuildItem;
import io.quarkus.bootstrap.classloading.QuarkusClassLoader;
import io.quarkus.datasource.common.runtime.DataSourceUtil;
import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.Capability;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.annotations.BuildSteps;
import io.quarkus.deployment.annotations.Consume;
import io.quarkus.deployment.annotations.ExecutionTime;
import io.quarkus.deployment.annotations.Record;
import io.quarkus.deployment.builditem.FeatureBuildItem;
import io.quarkus.deployment.builditem.ServiceStartBuildItem;
import io.quarkus.deployment.metrics.MetricsCapabilityBuildItem;
import io.quarkus.deployment.recording.RecorderContext;
import io.quarkus.runtime.RuntimeValue;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.runtime.metrics.MetricsFactory;
import io.quarkus.smallrye.health.deployment.spi.HealthBuildItem;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The beans of the outbox, and its start. */
@BuildSteps(onlyIf = OutboxEnabled.class)
class OutboxProcessor {

  private static final String FEATURE = "outbox";

  @BuildStep
  FeatureBuildItem feature() {
    return new FeatureBuildItem(FEATURE);
  }

  @BuildStep
  void beans(BuildProducer<AdditionalBeanBuildItem> beans) {
    beans.produce(
        AdditionalBeanBuildItem.builder()
            .addBeanClasses(OutboxBeans.class, OutboxDataSource.class, OutboxJson.class)
            .build());
    beans.produce(AdditionalBeanBuildItem.unremovableOf(OutboxLifecycle.class));
  }

  @BuildStep
  HealthBuildItem health(OutboxBuildConfig config) {
    return new HealthBuildItem(OutboxHealthCheck.class.getName(), config.healthEnabled());
  }

  @BuildStep
  void metrics(
      OutboxBuildConfig config,
      Optional<MetricsCapabilityBuildItem> metrics,
      BuildProducer<AdditionalBeanBuildItem> beans) {
    if (config.metricsEnabled()
        && metrics.isPresent()
        && metrics.get().metricsSupported(MetricsFactory.MICROMETER)
        && isThere("io.outbox.micrometer.MicrometerMetricsExporter")) {
      beans.produce(new AdditionalBeanBuildItem(OutboxMetrics.class));
    }
  }

  @BuildStep
  void traces(
      OutboxBuildConfig config,
      Capabilities capabilities,
      BuildProducer<AdditionalBeanBuildItem> beans) {
    if (config.tracingEnabled()
        && capabilities.isPresent(Capability.OPENTELEMETRY_TRACER)
        && isThere("io.outbox.tracing.OutboxTracing")) {
      beans.produce(new AdditionalBeanBuildItem(OutboxTraces.class));
    }
  }

  private static boolean isThere(String className) {
    return QuarkusClassLoader.isClassPresentAtRuntime(className);
  }

  /** After migrations have run, and before the application hears that it has started. */
  @BuildStep
  @Record(ExecutionTime.RUNTIME_INIT)
  @Consume(SyntheticBeansRuntimeInitBuildItem.class)
  @Consume(JdbcDataSourceSchemaReadyBuildItem.class)
  ServiceStartBuildItem prepare(
      OutboxBuildConfig config,
      OutboxRecorder recorder,
      RecorderContext context,
      BeanContainerBuildItem container,
      List<JdbcDataSourceBuildItem> dataSources,
      List<ListenerMethodBuildItem> methods) {
    requireDataSource(config, dataSources);
    RuntimeValue<List<ListenerDeclaration>> listeners = recorder.listeners();
    for (ListenerMethodBuildItem method : methods) {
      recorder.add(
          listeners,
          method.where(),
          method.address(),
          method.signature().parameters(),
          method.signature().isAsync(),
          context.newInstance(method.invoker().getClassName()));
    }
    recorder.prepare(container.getValue(), listeners);
    return new ServiceStartBuildItem(FEATURE);
  }

  private static void requireDataSource(
      OutboxBuildConfig config, List<JdbcDataSourceBuildItem> dataSources) {
    String name = config.datasource().orElse(DataSourceUtil.DEFAULT_DATASOURCE_NAME);
    if (dataSources.stream().noneMatch(dataSource -> dataSource.getName().equals(name))) {
      throw new ConfigurationException(
          "The outbox needs the JDBC datasource "
              + name
              + ", but the application has "
              + dataSources.stream().map(JdbcDataSourceBuildItem::getName).toList()
              + ". Configure it with quarkus.datasource.db-kind and add its driver's extension, such"
              + " as quarkus-jdbc-postgresql; name another one in quarkus.outbox.datasource; or do"
              + " without the outbox: quarkus.outbox.enabled=false",
          Set.of("quarkus.outbox.datasource"));
    }
  }
}
