package io.outbox.quarkus.deployment.reload;

import io.outbox.EventEnvelope;
import io.outbox.OutboxWriter;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import java.util.Map;

@Path("/orders")
public class ReloadedResource {

  @Inject OutboxWriter outbox;
  @Inject ReloadedListener listener;

  @POST
  @Path("{number}")
  @Transactional
  public String place(@PathParam("number") int number) {
    return outbox.write(
        EventEnvelope.builder("OrderPlaced").payload(Map.of("number", number)).build());
  }

  @GET
  public String deliveries() {
    return String.join("\n", listener.deliveries());
  }
}
