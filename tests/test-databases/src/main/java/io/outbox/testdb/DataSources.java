package io.outbox.testdb;

import com.mysql.cj.jdbc.MysqlDataSource;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.mariadb.jdbc.MariaDbDataSource;
import org.postgresql.ds.PGSimpleDataSource;

final class DataSources {
  private DataSources() {}

  static DataSource unpooled(String url, String user, String password) {
    try {
      if (url.startsWith("jdbc:h2:")) {
        return h2(url, user, password);
      } else if (url.startsWith("jdbc:postgresql:")) {
        return postgres(url, user, password);
      } else if (url.startsWith("jdbc:mariadb:")) {
        return mariaDb(url, user, password);
      } else {
        return connectorJ(url, user, password);
      }
    } catch (SQLException e) {
      throw new IllegalArgumentException("The driver refuses the URL " + url, e);
    }
  }

  private static DataSource h2(String url, String user, String password) {
    JdbcDataSource h2 = new JdbcDataSource();
    h2.setURL(url);
    h2.setUser(user);
    h2.setPassword(password);
    return h2;
  }

  private static DataSource postgres(String url, String user, String password) {
    PGSimpleDataSource postgres = new PGSimpleDataSource();
    postgres.setUrl(url);
    postgres.setUser(user);
    postgres.setPassword(password);
    return postgres;
  }

  private static DataSource mariaDb(String url, String user, String password) throws SQLException {
    MariaDbDataSource mariaDb = new MariaDbDataSource(url);
    mariaDb.setUser(user);
    mariaDb.setPassword(password);
    return mariaDb;
  }

  private static DataSource connectorJ(String url, String user, String password) {
    MysqlDataSource mysql = new MysqlDataSource();
    mysql.setUrl(url);
    mysql.setUser(user);
    mysql.setPassword(password);
    return mysql;
  }
}
