package io.outbox.quarkus.deployment;

import io.outbox.jdbc.spi.Dialect;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.spi.JsonCodec;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.annotations.BuildSteps;
import io.quarkus.deployment.builditem.nativeimage.NativeImageProxyDefinitionBuildItem;
import io.quarkus.deployment.builditem.nativeimage.NativeImageResourceBuildItem;
import io.quarkus.deployment.builditem.nativeimage.NativeImageResourcePatternsBuildItem;
import io.quarkus.deployment.builditem.nativeimage.ReflectiveClassBuildItem;
import io.quarkus.deployment.builditem.nativeimage.ReflectiveHierarchyBuildItem;
import io.quarkus.deployment.builditem.nativeimage.RuntimeInitializedClassBuildItem;
import io.quarkus.deployment.builditem.nativeimage.ServiceProviderBuildItem;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jboss.jandex.Type;

/** What the outbox finds by name or makes at run time, for a native image. */
@BuildSteps(onlyIf = OutboxEnabled.class)
class NativeImageProcessor {

  private static final Set<String> READ_WITHOUT_REFLECTION =
      Set.of(Names.ENVELOPE.toString(), String.class.getName(), byte[].class.getName());

  @BuildStep
  void services(BuildProducer<ServiceProviderBuildItem> services) {
    Stream.of(AbstractJdbcOutboxStore.class, Dialect.class, JsonCodec.class)
        .map(service -> ServiceProviderBuildItem.allProvidersFromClassPath(service.getName()))
        .filter(service -> !service.providers().isEmpty())
        .forEach(services::produce);
  }

  @BuildStep
  void resources(
      BuildProducer<NativeImageResourcePatternsBuildItem> patterns,
      BuildProducer<NativeImageResourceBuildItem> files) {
    patterns.produce(
        NativeImageResourcePatternsBuildItem.builder().includeGlob("schema/outbox-*.sql").build());
    files.produce(new NativeImageResourceBuildItem("io/outbox/version.properties"));
  }

  /** The connection of a JTA transaction, and its statements. */
  @BuildStep
  void proxies(BuildProducer<NativeImageProxyDefinitionBuildItem> proxies) {
    Stream.of(Connection.class, Statement.class, PreparedStatement.class, CallableStatement.class)
        .map(type -> new NativeImageProxyDefinitionBuildItem(type.getName()))
        .forEach(proxies::produce);
  }

  /** Parameters of listeners are found by name when the application starts. */
  @BuildStep
  ReflectiveClassBuildItem parameters() {
    return ReflectiveClassBuildItem.builder(READ_WITHOUT_REFLECTION.toArray(String[]::new)).build();
  }

  /** Virtual threads, as there are none in Java 17, and notifications of PostgreSQL's driver. */
  @BuildStep
  ReflectiveClassBuildItem methodsCalledByName() {
    return ReflectiveClassBuildItem.builder(
            Thread.class.getName(),
            "java.lang.Thread$Builder",
            "org.postgresql.PGConnection",
            "org.postgresql.PGNotification")
        .methods()
        .build();
  }

  /** Random numbers of the build must not be those of every process. */
  @BuildStep
  RuntimeInitializedClassBuildItem randomNumbers() {
    return new RuntimeInitializedClassBuildItem("io.outbox.internal.Ulid");
  }

  /** Jackson reads payloads into them. */
  @BuildStep
  void payloads(
      List<ListenerMethodBuildItem> listeners,
      BuildProducer<ReflectiveHierarchyBuildItem> hierarchies) {
    for (ListenerMethodBuildItem listener : listeners) {
      for (Type type : listener.signature().types()) {
        if (!READ_WITHOUT_REFLECTION.contains(type.name().toString())) {
          hierarchies.produce(
              ReflectiveHierarchyBuildItem.builder(type).source(listener.where()).build());
        }
      }
    }
  }

  /** They are instantiated for their names. */
  @BuildStep
  void classesOfTypes(
      List<ListenerMethodBuildItem> listeners, BuildProducer<ReflectiveClassBuildItem> classes) {
    listeners.stream()
        .flatMap(listener -> listener.classesOfTypes().stream())
        .distinct()
        .map(name -> ReflectiveClassBuildItem.builder(name).constructors().methods().build())
        .forEach(classes::produce);
  }
}
