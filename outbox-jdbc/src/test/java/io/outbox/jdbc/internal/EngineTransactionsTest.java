package io.outbox.jdbc.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.outbox.jdbc.OutboxStoreException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** R21 on relatives of MySQL; what its servers make of it is tested with the engine. */
class EngineTransactionsTest {

  private static final Duration LEASE = Duration.ofMillis(1500);

  private final List<String> executed = new ArrayList<>();
  private final EngineTransactions transactions =
      new EngineTransactions(
          Product.MYSQL, new StoreErrors(Product.MYSQL, TableName.of("outbox_event")));
  private SQLException refusal;

  private Connection connection() {
    return proxy(
        Connection.class,
        (proxy, method, args) -> method.getName().equals("createStatement") ? statement() : null);
  }

  private Statement statement() {
    return proxy(
        Statement.class,
        (proxy, method, args) -> method.getName().equals("execute") ? execute(args[0]) : null);
  }

  private boolean execute(Object sql) throws SQLException {
    executed.add(sql.toString());
    if (refusal != null && sql.toString().contains("wait_timeout")) {
      throw refusal;
    }
    return false;
  }

  private static <T> T proxy(Class<T> type, InvocationHandler calls) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, calls));
  }

  @Test
  void R21_secondsAreRoundedUp() {
    transactions.prepare(connection(), LEASE);

    assertThat(executed).singleElement().asString().contains("LEAST(@@session.wait_timeout, 2)");
  }

  @Test
  void whatTheServerDoesNotKnowIsNotAskedForAgain() {
    refusal = new SQLException("Unknown system variable", "HY000", 1193);
    transactions.prepare(connection(), LEASE);
    transactions.prepare(connection(), LEASE);
    transactions.ended(connection());

    assertThat(executed).hasSize(3);
    assertThat(executed.subList(1, 3))
        .containsOnly("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
  }

  @Test
  void aBrokenConnectionIsNoRefusal() {
    refusal = new SQLException("broken", "08S01");
    assertThatExceptionOfType(OutboxStoreException.class)
        .isThrownBy(() -> transactions.prepare(connection(), LEASE));
    refusal = null;
    transactions.prepare(connection(), LEASE);

    assertThat(executed).hasSize(2).allMatch(sql -> sql.contains("wait_timeout"));
  }
}
