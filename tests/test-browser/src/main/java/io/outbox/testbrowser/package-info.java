/** What tests see of a page: a browser that looks and clicks. */
package io.outbox.testbrowser;
