/** What goes on while somebody looks: refreshed overviews, running jobs, and those who watch. */
package io.outbox.console.internal.live;
