package io.outbox.publishertests;

import static com.tngtech.archunit.core.domain.JavaModifier.PUBLIC;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.Location;
import io.outbox.http.HttpPublisher;
import io.outbox.kafka.KafkaPublisher;
import io.outbox.nats.NatsPublisher;
import io.outbox.rabbitmq.RabbitMqPublisher;
import io.outbox.redis.RedisPublisher;
import io.outbox.sqs.SqsPublisher;
import java.net.URI;
import java.net.URL;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A publisher is one class on top of the core's API and the client of its broker. */
class PublisherArrowsTest {

  /** Each with what it may use beside the JDK's java.*, itself and the core's API. */
  static Stream<Arguments> publishers() {
    return Stream.of(
        Arguments.of(KafkaPublisher.class, List.of("org.apache.kafka..")),
        Arguments.of(SqsPublisher.class, List.of("software.amazon.awssdk..")),
        Arguments.of(HttpPublisher.class, List.of("javax.crypto..")),
        Arguments.of(RabbitMqPublisher.class, List.of("com.rabbitmq.client..", "javax.net.ssl..")),
        Arguments.of(NatsPublisher.class, List.of("io.nats.client..")),
        Arguments.of(RedisPublisher.class, List.of("io.lettuce.core..")));
  }

  @ParameterizedTest
  @MethodSource("publishers")
  void itUsesTheApiOfTheCoreAndItsClientAndNothingElse(Class<?> publisher, List<String> others) {
    Stream<String> core =
        Stream.of(
            "java..",
            "io.outbox",
            "io.outbox.internal.publish",
            "io.outbox.publish",
            "io.outbox.spi",
            "io.outbox.util");
    String[] allowed =
        Stream.of(core, others.stream(), Stream.of(publisher.getPackageName()))
            .flatMap(packages -> packages)
            .toArray(String[]::new);
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(allowed)
        .check(moduleOf(publisher));
  }

  @ParameterizedTest
  @MethodSource("publishers")
  void itIsTheOnlyPublicClassOfItsModule(Class<?> publisher, List<String> others) {
    assertThat(moduleOf(publisher))
        .filteredOn(type -> type.isTopLevelClass() && type.getModifiers().contains(PUBLIC))
        .extracting(JavaClass::getName)
        .containsExactly(publisher.getName());
  }

  private static JavaClasses moduleOf(Class<?> publisher) {
    // of the others the names are enough
    ArchConfiguration.get().setResolveMissingDependenciesFromClassPath(false);
    URL url = publisher.getProtectionDomain().getCodeSource().getLocation();
    String location = url.getPath().endsWith(".jar") ? "jar:" + url + "!/" : url.toString();
    return new ClassFileImporter().importLocations(List.of(Location.of(URI.create(location))));
  }
}
