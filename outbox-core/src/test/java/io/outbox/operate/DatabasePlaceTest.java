package io.outbox.operate;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DatabasePlaceTest {

  @ParameterizedTest
  @CsvSource({
    "jdbc:postgresql://db:5432/shop?user=a&password=secret, postgresql://db:5432/shop",
    "jdbc:postgresql://a:secret@db/shop, postgresql://db/shop",
    "jdbc:mariadb://db:3306/shop?password=secret, mariadb://db:3306/shop",
    "jdbc:mysql://a:sec/ret@db/shop, mysql://db/shop",
    "'jdbc:mysql://(host=db,user=a,password=se;cret)/shop', mysql:///shop",
    "jdbc:mysql://address=(host=db)(user=a)(password=secret)/shop?x=y, mysql:///shop",
    "jdbc:h2:mem:shop;PASSWORD=secret, h2:mem:shop",
    "jdbc:h2:/data/shop, h2:/data/shop",
    "jdbc:h2:/data (1)/shop (2), h2:/data (1)/shop (2)",
  })
  void itSaysServerAndDatabaseWithoutSecrets(String url, String place) {
    assertThat(DatabasePlace.of(url)).isEqualTo(place);
  }
}
