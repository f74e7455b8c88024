/** The console in the application's web server. */
package io.outbox.spring.boot.console;
