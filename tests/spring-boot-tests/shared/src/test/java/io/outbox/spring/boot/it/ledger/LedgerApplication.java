package io.outbox.spring.boot.it.ledger;

import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
public class LedgerApplication {}
