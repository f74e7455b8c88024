package io.outbox.samples.sql;

import org.apache.ibatis.annotations.Insert;

/** Orders, with MyBatis. */
interface OrderMapper {

  @Insert("INSERT INTO orders (id) VALUES (#{id})")
  void insert(String id);
}
