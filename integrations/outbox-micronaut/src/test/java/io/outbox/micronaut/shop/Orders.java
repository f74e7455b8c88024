package io.outbox.micronaut.shop;

import io.micronaut.context.annotation.Requires;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Post;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.sql.SQLException;

/** Takes orders over HTTP. */
@Controller("/orders")
@Requires(property = "spec", value = "shop")
public class Orders {

  private final Shop shop;

  public Orders(Shop shop) {
    this.shop = shop;
  }

  /** Answers the id of the event. */
  @Post("/{id}")
  @ExecuteOn(TaskExecutors.BLOCKING)
  public String place(String id) throws SQLException {
    return shop.place(id, id.endsWith("0"));
  }
}
