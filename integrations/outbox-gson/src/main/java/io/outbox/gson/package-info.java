/** JSON through Gson. */
package io.outbox.gson;
