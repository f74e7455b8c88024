/** Small things for users of the other packages. */
package io.outbox.util;
