package io.outbox.spring.boot.wiring;

import io.outbox.wiring.OutboxConfigurationException;
import java.util.Arrays;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.StringUtils;

/** The DataSource of the outbox. Not a DataSource bean itself, which would disturb others. */
public record ChosenDataSource(DataSource dataSource) {

  private static final String ACTION =
      """
      Choose the one whose transactions events are written in:
        - name its bean with the property outbox.datasource,
        - or annotate its bean with @OutboxDataSource,
        - or make it the @Primary one.
      For an outbox per DataSource, declare the Outbox beans yourself.""";

  public static ChosenDataSource of(
      String name,
      ObjectProvider<DataSource> marked,
      ObjectProvider<DataSource> all,
      ListableBeanFactory beans) {
    if (StringUtils.hasText(name)) {
      return new ChosenDataSource(named(name, beans));
    }
    List<DataSource> candidates = marked.stream().toList();
    if (candidates.size() > 1) {
      throw new OutboxConfigurationException(
          "Several DataSource beans are annotated with @OutboxDataSource.",
          "Annotate only the one whose transactions events are written in.");
    }
    DataSource chosen = candidates.isEmpty() ? all.getIfUnique() : candidates.get(0);
    if (chosen == null) {
      throw new OutboxConfigurationException(
          "The outbox needs one DataSource, but there are several and none is primary: "
              + names(beans)
              + ".",
          ACTION);
    }
    return new ChosenDataSource(chosen);
  }

  private static DataSource named(String name, ListableBeanFactory beans) {
    if (!beans.containsBean(name) || !beans.isTypeMatch(name, DataSource.class)) {
      throw new OutboxConfigurationException(
          "The property outbox.datasource is '"
              + name
              + "', but there is no DataSource bean of that name.",
          "Name one of these: " + names(beans) + ".");
    }
    return beans.getBean(name, DataSource.class);
  }

  private static String names(ListableBeanFactory beans) {
    String[] names = BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, DataSource.class);
    return String.join(", ", Arrays.stream(names).sorted().toList());
  }
}
