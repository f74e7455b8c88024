package io.outbox.quarkus.deployment.reload;

import io.outbox.OutboxWriter;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;

@Path("/orders")
public class ReloadedResource {

  @Inject OutboxWriter outbox;
  @Inject ReloadedListener listener;

  @POST
  @Path("{number}")
  @Transactional
  public String place(@PathParam("number") int number) {
    return outbox.write("OrderPlaced", "{\"number\": " + number + "}");
  }

  @GET
  public String deliveries() {
    return String.join("\n", listener.deliveries());
  }
}
