package io.outbox.sql;

import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Select;

/** Orders, with MyBatis. */
interface OrderMapper {

  @Insert("INSERT INTO orders (id) VALUES (#{id})")
  void insert(String id);

  @Select("SELECT count(*) FROM orders")
  int count();
}
