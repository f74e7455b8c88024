package io.outbox.spring.boot.it.ledger;

import io.outbox.spring.boot.OutboxListener;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.stereotype.Component;

/** What others are told of the ledger. */
@Component
public class Statements {

  public final List<Integer> balances = new CopyOnWriteArrayList<>();
  public final List<String> seen = new CopyOnWriteArrayList<>();

  @OutboxListener(eventType = "BalanceChanged", aggregateType = "Account")
  void balance(Integer balance) {
    balances.add(balance);
  }

  @OutboxListener("Seen")
  void seen(String json) {
    seen.add(json.replace("\"", ""));
  }
}
