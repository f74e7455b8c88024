package io.outbox.console.internal.live;

import io.outbox.console.internal.http.HttpFailure;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/** The bulk actions of one outbox: those that run, wait, and the last ones that are over. */
public final class Jobs {

  static final int KEPT = 50;

  private final Executor executor;
  private final Consumer<Job> listener;
  private final Deque<Job> jobs = new ArrayDeque<>(); // guarded by this
  private long nextId = 1; // guarded by this

  /**
   * @param executor bounded: it refuses what is too much
   */
  public Jobs(Executor executor, Consumer<Job> listener) {
    this.executor = executor;
    this.listener = listener;
  }

  public Job begin(Job.Order order) {
    Job job;
    synchronized (this) {
      job = new Job(nextId++, order, listener);
      jobs.addFirst(job);
      forgetOld();
    }
    try {
      executor.execute(job::run);
    } catch (RejectedExecutionException e) {
      synchronized (this) {
        jobs.remove(job);
      }
      throw new HttpFailure(
          429, "Too many bulk actions run or wait already. Wait for one, or stop it.");
    }
    return job;
  }

  /** What runs is few, by the executor's bound; what is over makes room. */
  private void forgetOld() {
    List<Job> over = new ArrayList<>(jobs.stream().filter(Job::isOver).toList());
    Collections.reverse(over);
    for (Job job : over) {
      if (jobs.size() <= KEPT) {
        return;
      }
      jobs.remove(job);
    }
  }

  /** The newest first. */
  public synchronized List<Job> all() {
    return List.copyOf(jobs);
  }

  public synchronized Optional<Job> find(long id) {
    return jobs.stream().filter(job -> job.id() == id).findFirst();
  }

  /** Ends it after the batch that it is at. */
  public void stop(Job job) {
    job.stop();
    listener.accept(job);
  }

  /** Stops all of them. */
  public void close() {
    all().forEach(Job::stop);
  }
}
