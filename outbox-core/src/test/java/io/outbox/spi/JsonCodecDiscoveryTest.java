package io.outbox.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each test loads core anew, because the codec that was found is kept for good. */
class JsonCodecDiscoveryTest {

  private final ClassLoader before = Thread.currentThread().getContextClassLoader();
  @TempDir private Path services;
  private URLClassLoader core;
  private URLClassLoader withServices;

  /** Found by a service file that a test writes. */
  public static final class FirstCodec implements JsonCodec {
    public FirstCodec() {}

    @Override
    public String toJson(Object obj) {
      return "null";
    }

    @Override
    public <T> T fromJson(String json, Class<T> type) {
      return null;
    }
  }

  /** Cannot be made. */
  public static final class BrokenCodec implements JsonCodec {
    public BrokenCodec() {
      throw new IllegalStateException("broken codec");
    }

    @Override
    public String toJson(Object obj) {
      return null;
    }

    @Override
    public <T> T fromJson(String json, Class<T> type) {
      return null;
    }
  }

  /** What it needs is not on the class path. */
  public static final class CodecWithoutItsLibrary implements JsonCodec {
    public CodecWithoutItsLibrary() {}

    public CodecWithoutItsLibrary(Assertions library) {
      Objects.requireNonNull(library);
    }

    @Override
    public String toJson(Object obj) {
      return null;
    }

    @Override
    public <T> T fromJson(String json, Class<T> type) {
      return null;
    }
  }

  @BeforeEach
  void loadCoreAnew() throws IOException {
    URL[] classes = {location(JsonCodec.class), location(JsonCodecDiscoveryTest.class)};
    core = new URLClassLoader(classes, ClassLoader.getPlatformClassLoader());
    withServices = new URLClassLoader(new URL[] {services.toUri().toURL()}, core);
    Thread.currentThread().setContextClassLoader(withServices);
  }

  @AfterEach
  void close() throws IOException {
    Thread.currentThread().setContextClassLoader(before);
    withServices.close();
    core.close();
  }

  private static URL location(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation();
  }

  private void register(Class<?>... codecs) throws IOException {
    Path file = services.resolve("META-INF/services/" + JsonCodec.class.getName());
    Files.createDirectories(file.getParent());
    Files.write(file, Stream.of(codecs).map(Class::getName).toList());
  }

  private Object getDefault() throws Throwable {
    try {
      return core.loadClass(JsonCodec.class.getName()).getMethod("getDefault").invoke(null);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  @Test
  void theServiceLoaderOfTheContextFindsACodecAndItIsKept() throws Throwable {
    register(FirstCodec.class);
    Object found = getDefault();

    assertThat(found.getClass().getName()).isEqualTo(FirstCodec.class.getName());
    Thread.currentThread().setContextClassLoader(null);
    assertThat(getDefault()).isSameAs(found);
  }

  @Test
  void withoutACodecTheMessageSaysWhatToDo() {
    assertThatThrownBy(this::getDefault)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("outbox-gson")
        .hasMessageContaining("JsonCodec.setDefault");
  }

  @Test
  void aCodecWhoseLibraryIsMissingIsPassedOver() throws Throwable {
    register(CodecWithoutItsLibrary.class, FirstCodec.class);

    assertThat(getDefault().getClass().getName()).isEqualTo(FirstCodec.class.getName());
  }

  @Test
  void aCodecWhoseLibraryIsMissingIsNamedIfThereIsNoOther() throws IOException {
    register(CodecWithoutItsLibrary.class);

    assertThatThrownBy(this::getDefault)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(CodecWithoutItsLibrary.class.getName())
        .hasStackTraceContaining(NoClassDefFoundError.class.getName());
  }

  @Test
  void aCodecThatComesLaterIsFound() throws Throwable {
    assertThatThrownBy(this::getDefault).isInstanceOf(IllegalStateException.class);
    register(FirstCodec.class);

    assertThat(getDefault()).isNotNull();
  }

  @Test
  void aCodecThatCannotBeLoadedIsNamed() throws IOException {
    register(BrokenCodec.class);

    assertThatThrownBy(this::getDefault)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(BrokenCodec.class.getName());
  }
}
