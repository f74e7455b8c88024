package io.outbox.quarkus.runtime;

import io.agroal.api.AgroalDataSource;
import io.quarkus.agroal.runtime.AgroalDataSourceUtil;
import io.quarkus.arc.ActiveResult;
import io.quarkus.datasource.common.runtime.DataSourceUtil;
import jakarta.inject.Singleton;
import java.util.Optional;

/** The datasource of the outbox. If it is inactive, the outbox is off. */
@Singleton
public class OutboxDataSource {

  private final String name;

  OutboxDataSource(OutboxBuildConfig fixed) {
    this.name = fixed.datasource().orElse(DataSourceUtil.DEFAULT_DATASOURCE_NAME);
  }

  AgroalDataSource get() {
    whyOff()
        .ifPresent(
            reason -> {
              throw new IllegalStateException(reason);
            });
    return AgroalDataSourceUtil.dataSourceInstance(name).get();
  }

  /** Why there is no outbox, and what to do; empty if there is one. */
  Optional<String> whyOff() {
    ActiveResult active =
        AgroalDataSourceUtil.dataSourceInstance(name).getHandle().getBean().checkActive();
    return active.value()
        ? Optional.empty()
        : Optional.of(
            "The outbox is off: no event is written or delivered. Its datasource is inactive: "
                + active.inactiveReason());
  }
}
