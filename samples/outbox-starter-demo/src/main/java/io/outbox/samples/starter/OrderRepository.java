package io.outbox.samples.starter;

import org.springframework.data.jpa.repository.JpaRepository;

interface OrderRepository extends JpaRepository<PlacedOrder, Long> {}
