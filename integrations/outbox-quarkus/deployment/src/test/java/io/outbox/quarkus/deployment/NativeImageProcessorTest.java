package io.outbox.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.jdbc.store.PostgresOutboxStore;
import io.quarkus.deployment.builditem.nativeimage.NativeImageProxyDefinitionBuildItem;
import io.quarkus.deployment.builditem.nativeimage.NativeImageResourceBuildItem;
import io.quarkus.deployment.builditem.nativeimage.NativeImageResourcePatternsBuildItem;
import io.quarkus.deployment.builditem.nativeimage.ReflectiveClassBuildItem;
import io.quarkus.deployment.builditem.nativeimage.ReflectiveHierarchyBuildItem;
import io.quarkus.deployment.builditem.nativeimage.ServiceProviderBuildItem;
import java.io.IOException;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import org.jboss.jandex.Index;
import org.jboss.jandex.MethodInfo;
import org.junit.jupiter.api.Test;

/** What is registered for a native image; whether that is enough only a native image would show. */
class NativeImageProcessorTest {

  private final NativeImageProcessor processor = new NativeImageProcessor();

  record Order(String id) {}

  interface Listener {
    void on(EventEnvelope event, Order order);
  }

  @Test
  void servicesResourcesAndProxiesAreRegistered() {
    List<ServiceProviderBuildItem> services = new ArrayList<>();
    List<NativeImageResourcePatternsBuildItem> patterns = new ArrayList<>();
    List<NativeImageResourceBuildItem> files = new ArrayList<>();
    List<NativeImageProxyDefinitionBuildItem> proxies = new ArrayList<>();
    processor.services(services::add);
    processor.resources(patterns::add, files::add);
    processor.proxies(proxies::add);

    assertThat(services)
        .flatExtracting(ServiceProviderBuildItem::providers)
        .contains(PostgresOutboxStore.class.getName());
    assertThat(patterns.get(0).getIncludePatterns())
        .anyMatch("schema/outbox-postgresql.sql"::matches);
    assertThat(files.get(0).getResources())
        .allMatch(file -> getClass().getClassLoader().getResource(file) != null);
    assertThat(proxies)
        .flatExtracting(NativeImageProxyDefinitionBuildItem::getClasses)
        .contains(Connection.class.getName());
  }

  @Test
  void whatIsFoundByNameIsRegistered() {
    assertThat(processor.parameters().getClassNames())
        .contains(EventEnvelope.class.getName(), String.class.getName(), byte[].class.getName());
    assertThat(processor.methodsCalledByName().isMethods()).isTrue();
    assertThat(processor.methodsCalledByName().getClassNames())
        .contains(Thread.class.getName(), "org.postgresql.PGConnection");
  }

  @Test
  void payloadsAndClassesOfTypesAreRegistered() throws IOException {
    MethodInfo method = Index.singleClass(Listener.class).methods().get(0);
    ListenerMethodBuildItem listener =
        new ListenerMethodBuildItem(
            "method on",
            List.of("", "", "", "shop.Paid", ""),
            ListenerSignature.of(method, "method on"),
            null);
    List<ReflectiveHierarchyBuildItem> hierarchies = new ArrayList<>();
    List<ReflectiveClassBuildItem> classes = new ArrayList<>();
    processor.payloads(List.of(listener), hierarchies::add);
    processor.classesOfTypes(List.of(listener), classes::add);

    assertThat(hierarchies)
        .extracting(hierarchy -> hierarchy.getType().name().toString())
        .containsExactly(Order.class.getName());
    assertThat(classes)
        .flatExtracting(ReflectiveClassBuildItem::getClassNames)
        .containsExactly("shop.Paid");
  }
}
