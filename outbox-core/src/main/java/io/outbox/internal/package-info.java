/** Small tools of all other internal packages. Not exported. */
package io.outbox.internal;
