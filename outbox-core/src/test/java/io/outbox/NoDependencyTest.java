package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

class NoDependencyTest {

  @Test
  void coreNeedsNothingButTheJdk() throws Exception {
    Document pom =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(Path.of("pom.xml").toFile());
    NodeList dependencies = pom.getElementsByTagName("dependency");
    List<String> notForTests = new ArrayList<>();
    for (int i = 0; i < dependencies.getLength(); i++) {
      Element dependency = (Element) dependencies.item(i);
      if (!"test".equals(text(dependency, "scope"))) {
        notForTests.add(text(dependency, "artifactId"));
      }
    }

    assertThat(text(pom.getDocumentElement(), "artifactId")).isNotBlank();
    assertThat(dependencies.getLength()).as("dependencies for tests").isPositive();
    assertThat(notForTests).isEmpty();
  }

  private static String text(Element element, String name) {
    NodeList found = element.getElementsByTagName(name);
    return found.getLength() == 0 ? null : found.item(0).getTextContent().strip();
  }
}
