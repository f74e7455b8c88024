package io.outbox.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class OwnerIdTest {

  @Test
  void twoOwnersOfOneNameDiffer() {
    assertThat(OwnerId.unique("node"))
        .startsWith("node~")
        .isNotEqualTo(OwnerId.unique("node"))
        .hasSizeLessThanOrEqualTo(128);
  }

  @Test
  void aRandomPartIsAddedOnlyOnce() {
    String longest = OwnerId.unique("n".repeat(117));
    assertThat(longest).hasSize(128);
    assertThat(OwnerId.unique(longest)).isEqualTo(longest);
  }

  @Test
  void aFreshOwnerNeverHasTheRandomPartOfAnother() {
    String one = OwnerId.fresh("n".repeat(117));
    assertThat(OwnerId.fresh(one)).hasSize(128).isNotEqualTo(one);
    assertThat(OwnerId.checked(one)).isEqualTo("n".repeat(117));
  }

  @Test
  void aNameThatCannotBeStoredIsRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> OwnerId.unique(" "));
    assertThatIllegalArgumentException().isThrownBy(() -> OwnerId.unique("n".repeat(118)));
  }

  @Test
  void aProcessHasAName() {
    assertThat(OwnerId.unique(OwnerId.ofThisProcess()))
        .contains(Long.toString(ProcessHandle.current().pid()));
  }
}
