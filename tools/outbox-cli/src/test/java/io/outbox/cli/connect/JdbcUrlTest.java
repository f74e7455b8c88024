package io.outbox.cli.connect;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JdbcUrlTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql://db/shop?user=a&password=sesame",
        "jdbc:postgresql://db/shop?PASSWORD=sesame&ssl=true",
        "jdbc:postgresql://db/shop?sslpassword=sesame",
        "jdbc:mariadb://a:sesame@db/shop",
        "jdbc:mysql://a:se/same@db:3306/shop",
        "jdbc:mariadb://db/shop?trustStorePassword=sesame",
        "jdbc:h2:./shop;USER=sa;PASSWORD=sesame",
        "jdbc:mysql://db/shop?pwd=sesame",
      })
  void aPasswordIsSeenAndNeverShown(String text) {
    JdbcUrl url = new JdbcUrl(text);

    assertThat(url.hasPassword()).isTrue();
    assertThat(url.toString()).contains("***").doesNotContain("same");
    assertThat(JdbcUrl.redact("no driver for " + text + " at all")).doesNotContain("same");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql://db:5432/shop?user=a&ssl=true",
        "jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1",
        "jdbc:mariadb://[::1]:3306/shop",
        "jdbc:postgresql://db1:5432,db2:5433/shop",
        "jdbc:postgresql://db:5432/shop?user=anna@corp",
      })
  void anAddressWithoutOneIsLeftAsItIs(String text) {
    JdbcUrl url = new JdbcUrl(text);

    assertThat(url.hasPassword()).isFalse();
    assertThat(url.toString()).isEqualTo(text);
  }

  @Test
  void anH2InAFileIsOpenedOnlyIfItIsThere() {
    JdbcUrl url = new JdbcUrl("jdbc:h2:./shop");
    assertThat(url.isH2File()).isTrue();
    assertThat(url.existingH2().text())
        .isEqualTo("jdbc:h2:./shop;IFEXISTS=TRUE;DB_CLOSE_ON_EXIT=FALSE");
    assertThat(new JdbcUrl("jdbc:h2:./shop;ifexists=false").existingH2().text())
        .doesNotContain("IFEXISTS=TRUE");
    assertThat(new JdbcUrl("jdbc:h2:mem:shop").isH2File()).isFalse();
    assertThat(new JdbcUrl("jdbc:h2:tcp://db/shop").isH2File()).isFalse();
  }
}
