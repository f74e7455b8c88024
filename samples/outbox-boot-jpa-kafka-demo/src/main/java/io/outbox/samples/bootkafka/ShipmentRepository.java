package io.outbox.samples.bootkafka;

import org.springframework.data.jpa.repository.JpaRepository;

interface ShipmentRepository extends JpaRepository<Shipment, Long> {}
