package io.outbox.quarkus.deployment.shop;

import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.WebApplicationException;

@Path("/orders")
public class OrdersResource {

  @Inject Orders orders;

  /** Every tenth is rolled back. */
  @POST
  @Path("{number}")
  @Transactional
  public String place(@PathParam("number") int number) {
    orders.place("A-" + number);
    if (number % 10 == 0) {
      throw new WebApplicationException("out of stock", 409);
    }
    return "placed";
  }
}
