package io.outbox.spring.boot;

import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.util.unit.DataSize;

/** The properties {@code outbox.*}. */
@ConfigurationProperties(prefix = "outbox")
public class OutboxProperties {

  /** Whether there is an outbox at all. */
  private boolean enabled = true;

  /** How events are delivered. */
  private Mode mode = Mode.SINGLE_NODE;

  /** The name of the outbox table, with a schema in front if need be. */
  private String tableName = "outbox_event";

  /**
   * The name of the DataSource bean whose transactions the events are written in. By default the
   * one marked with @OutboxDataSource, or the only or primary one.
   */
  private String datasource;

  /**
   * Whether events are deleted when they are delivered, instead of being kept as DONE. Without
   * effect in the mode writer-only.
   */
  private boolean deleteOnDone;

  /**
   * Whether listeners run on virtual threads, which needs Java 21. By default as
   * spring.threads.virtual.enabled says.
   */
  private Boolean virtualThreads;

  /**
   * Whether JPA flushes before an event is written, so that transactions that change the same row
   * number their events in the order of their commits. By default only in the mode ordered-by-key.
   */
  private Boolean flushBeforeWrite;

  private final Dispatcher dispatcher = new Dispatcher();
  private final Retry retry = new Retry();
  private final Poller poller = new Poller();
  private final ClaimLocking claimLocking = new ClaimLocking();
  private final OrderedByKey orderedByKey = new OrderedByKey();
  private final Purge purge = new Purge();
  private final Inbox inbox = new Inbox();
  private final Metrics metrics = new Metrics();
  private final Tracing tracing = new Tracing();
  private final Schema schema = new Schema();
  private final Health health = new Health();
  private final Console console = new Console();

  public boolean isEnabled() {
    return enabled;
  }

  public void setEnabled(boolean enabled) {
    this.enabled = enabled;
  }

  public Mode getMode() {
    return mode;
  }

  public void setMode(Mode mode) {
    this.mode = mode;
  }

  public String getTableName() {
    return tableName;
  }

  public void setTableName(String tableName) {
    this.tableName = tableName;
  }

  public String getDatasource() {
    return datasource;
  }

  public void setDatasource(String datasource) {
    this.datasource = datasource;
  }

  public boolean isDeleteOnDone() {
    return deleteOnDone;
  }

  public void setDeleteOnDone(boolean deleteOnDone) {
    this.deleteOnDone = deleteOnDone;
  }

  public Boolean getVirtualThreads() {
    return virtualThreads;
  }

  public void setVirtualThreads(Boolean virtualThreads) {
    this.virtualThreads = virtualThreads;
  }

  public Boolean getFlushBeforeWrite() {
    return flushBeforeWrite;
  }

  public void setFlushBeforeWrite(Boolean flushBeforeWrite) {
    this.flushBeforeWrite = flushBeforeWrite;
  }

  boolean flushesBeforeWrite() {
    return flushBeforeWrite == null ? mode == Mode.ORDERED_BY_KEY : flushBeforeWrite;
  }

  public Dispatcher getDispatcher() {
    return dispatcher;
  }

  public Retry getRetry() {
    return retry;
  }

  public Poller getPoller() {
    return poller;
  }

  public ClaimLocking getClaimLocking() {
    return claimLocking;
  }

  public OrderedByKey getOrderedByKey() {
    return orderedByKey;
  }

  public Purge getPurge() {
    return purge;
  }

  public Inbox getInbox() {
    return inbox;
  }

  public Metrics getMetrics() {
    return metrics;
  }

  public Tracing getTracing() {
    return tracing;
  }

  public Schema getSchema() {
    return schema;
  }

  public Console getConsole() {
    return console;
  }

  public Health getHealth() {
    return health;
  }

  /** How events are delivered. */
  public enum Mode {
    /** From the commit on, and by a poller; one process on the table. */
    SINGLE_NODE,
    /** The same under leases; many processes on the table. */
    MULTI_NODE,
    /** By the poller, in the order they were written; one worker, one attempt, one process. */
    ORDERED,
    /** The events of each key in order, retries included; many processes on the table. */
    ORDERED_BY_KEY,
    /** Not at all: change data capture or another process does. */
    WRITER_ONLY
  }

  /** What becomes of the events of a key behind one that is DEAD. */
  public enum AfterDead {
    /** They are delivered. */
    CONTINUE,
    /** They wait until that event is replayed and done, or the block is lifted. */
    BLOCK
  }

  /** When the table is created. */
  public enum Initialize {
    /** If the database is in memory. */
    EMBEDDED,
    /** If it is missing. */
    ALWAYS,
    /** Never: a migration does it. */
    NEVER
  }

  /** How events are delivered. */
  public static class Dispatcher {

    /** How many listeners run at the same time. One in the mode ordered. */
    private int workerCount = 4;

    /** How many calls of each asynchronous listener may be pending at the same time. */
    private int maxInFlight = 256;

    /**
     * How long a listener may take before it is interrupted and its event retried. Without a limit
     * by default.
     */
    private Duration listenerTimeout;

    /**
     * How long no live node must have had a listener for an event until the event is DEAD; zero: at
     * once. For the modes multi-node and ordered-by-key.
     */
    private Duration missingListenerGrace = Duration.ofMinutes(5);

    /** How many committed events may wait in memory for a worker. */
    private int hotQueueCapacity = 1000;

    /** How many polled events may wait in memory for a worker. */
    private int coldQueueCapacity = 1000;

    /** How many bytes of events may wait in memory, whatever their number. */
    private DataSize maxQueuedBytes = DataSize.ofMegabytes(64);

    /**
     * How long stopping waits for queued events to be delivered. Shortened to fit into
     * spring.lifecycle.timeout-per-shutdown-phase.
     */
    private long drainTimeoutMs = 5000;

    /**
     * Whether to look for a committed event's row before it is delivered, for applications that
     * roll back to savepoints of the JDBC connection itself.
     */
    private boolean checkRowsBeforeHotDelivery;

    public int getWorkerCount() {
      return workerCount;
    }

    public void setWorkerCount(int workerCount) {
      this.workerCount = workerCount;
    }

    public int getMaxInFlight() {
      return maxInFlight;
    }

    public void setMaxInFlight(int maxInFlight) {
      this.maxInFlight = maxInFlight;
    }

    public Duration getListenerTimeout() {
      return listenerTimeout;
    }

    public void setListenerTimeout(Duration listenerTimeout) {
      this.listenerTimeout = listenerTimeout;
    }

    public Duration getMissingListenerGrace() {
      return missingListenerGrace;
    }

    public void setMissingListenerGrace(Duration missingListenerGrace) {
      this.missingListenerGrace = missingListenerGrace;
    }

    public int getHotQueueCapacity() {
      return hotQueueCapacity;
    }

    public void setHotQueueCapacity(int hotQueueCapacity) {
      this.hotQueueCapacity = hotQueueCapacity;
    }

    public int getColdQueueCapacity() {
      return coldQueueCapacity;
    }

    public void setColdQueueCapacity(int coldQueueCapacity) {
      this.coldQueueCapacity = coldQueueCapacity;
    }

    public DataSize getMaxQueuedBytes() {
      return maxQueuedBytes;
    }

    public void setMaxQueuedBytes(DataSize maxQueuedBytes) {
      this.maxQueuedBytes = maxQueuedBytes;
    }

    public long getDrainTimeoutMs() {
      return drainTimeoutMs;
    }

    public void setDrainTimeoutMs(long drainTimeoutMs) {
      this.drainTimeoutMs = drainTimeoutMs;
    }

    public boolean isCheckRowsBeforeHotDelivery() {
      return checkRowsBeforeHotDelivery;
    }

    public void setCheckRowsBeforeHotDelivery(boolean checkRowsBeforeHotDelivery) {
      this.checkRowsBeforeHotDelivery = checkRowsBeforeHotDelivery;
    }
  }

  /** What happens after a failure. The mode ordered has one attempt. */
  public static class Retry {

    /** How often a listener is called for one event at most. */
    private int maxAttempts = 10;

    /**
     * How old an event may become, from its creation or its last replay, before it is given up.
     * None by default.
     */
    private Duration maxAge;

    /** The delay after the first failure; it doubles with each further one. */
    private long baseDelayMs = 200;

    /** The longest delay between two attempts. */
    private long maxDelayMs = 60_000;

    public int getMaxAttempts() {
      return maxAttempts;
    }

    public void setMaxAttempts(int maxAttempts) {
      this.maxAttempts = maxAttempts;
    }

    public Duration getMaxAge() {
      return maxAge;
    }

    public void setMaxAge(Duration maxAge) {
      this.maxAge = maxAge;
    }

    public long getBaseDelayMs() {
      return baseDelayMs;
    }

    public void setBaseDelayMs(long baseDelayMs) {
      this.baseDelayMs = baseDelayMs;
    }

    public long getMaxDelayMs() {
      return maxDelayMs;
    }

    public void setMaxDelayMs(long maxDelayMs) {
      this.maxDelayMs = maxDelayMs;
    }
  }

  /** How the table is searched for events that were not delivered at their commit. */
  public static class Poller {

    /** How long the poller waits after it found nothing more. */
    private long intervalMs = 5000;

    /** How many events one poll fetches at most. */
    private int batchSize = 50;

    /** Events younger than this are left to the hot path. */
    private long skipRecentMs = 0;

    public long getIntervalMs() {
      return intervalMs;
    }

    public void setIntervalMs(long intervalMs) {
      this.intervalMs = intervalMs;
    }

    public int getBatchSize() {
      return batchSize;
    }

    public void setBatchSize(int batchSize) {
      this.batchSize = batchSize;
    }

    public long getSkipRecentMs() {
      return skipRecentMs;
    }

    public void setSkipRecentMs(long skipRecentMs) {
      this.skipRecentMs = skipRecentMs;
    }
  }

  /** Order by key, for the mode of that name. */
  public static class OrderedByKey {

    /**
     * The name of this node in the table, to which a random part is added. By default made of host
     * and process.
     */
    private String node;

    /** How long the keys of a node that died wait until others deliver them. */
    private Duration lease = Duration.ofSeconds(15);

    /** How long keys that are to go to another node wait for what is running. */
    private Duration handover = Duration.ofSeconds(10);

    /**
     * Whether the owner of a key learns at once what another node has written for it. By default by
     * LISTEN and NOTIFY on PostgreSQL, elsewhere by looking for new events ten times a second; true
     * demands PostgreSQL; with false such an event waits for up to the poller's interval.
     */
    private Boolean notifications;

    /** What becomes of the events of a key behind one that is DEAD. */
    private AfterDead afterDead = AfterDead.CONTINUE;

    public String getNode() {
      return node;
    }

    public void setNode(String node) {
      this.node = node;
    }

    public Duration getLease() {
      return lease;
    }

    public void setLease(Duration lease) {
      this.lease = lease;
    }

    public Duration getHandover() {
      return handover;
    }

    public void setHandover(Duration handover) {
      this.handover = handover;
    }

    public Boolean getNotifications() {
      return notifications;
    }

    public void setNotifications(Boolean notifications) {
      this.notifications = notifications;
    }

    public AfterDead getAfterDead() {
      return afterDead;
    }

    public void setAfterDead(AfterDead afterDead) {
      this.afterDead = afterDead;
    }
  }

  /** Leases on events, for many nodes on one table. */
  public static class ClaimLocking {

    /**
     * Whether nodes lease the events they deliver. Required by the mode multi-node, without effect
     * in the others.
     */
    private boolean enabled;

    /**
     * The name of this node in the table, to which a random part is added. By default made of host
     * and process.
     */
    private String ownerId;

    /** How long a node that died keeps its events from the others. The same on all nodes. */
    private Duration lockTimeout = Duration.ofMinutes(5);

    public boolean isEnabled() {
      return enabled;
    }

    public void setEnabled(boolean enabled) {
      this.enabled = enabled;
    }

    public String getOwnerId() {
      return ownerId;
    }

    public void setOwnerId(String ownerId) {
      this.ownerId = ownerId;
    }

    public Duration getLockTimeout() {
      return lockTimeout;
    }

    public void setLockTimeout(Duration lockTimeout) {
      this.lockTimeout = lockTimeout;
    }
  }

  /** Deleting old events. */
  public static class Purge {

    /** Whether old events are deleted: DONE and DEAD ones, in the mode writer-only all. */
    private boolean enabled;

    /** How long events are kept after their end; in the mode writer-only after their creation. */
    private Duration retention = Duration.ofDays(7);

    /** How many events are deleted in one transaction at most. */
    private int batchSize = 500;

    /** How often old events are looked for. */
    private long intervalSeconds = 3600;

    public boolean isEnabled() {
      return enabled;
    }

    public void setEnabled(boolean enabled) {
      this.enabled = enabled;
    }

    public Duration getRetention() {
      return retention;
    }

    public void setRetention(Duration retention) {
      this.retention = retention;
    }

    public int getBatchSize() {
      return batchSize;
    }

    public void setBatchSize(int batchSize) {
      this.batchSize = batchSize;
    }

    public long getIntervalSeconds() {
      return intervalSeconds;
    }

    public void setIntervalSeconds(long intervalSeconds) {
      this.intervalSeconds = intervalSeconds;
    }
  }

  /** The console, if outbox-console is there. */
  public static class Console {

    /**
     * Whether the application has a web page to see and steer the outbox, in a servlet container.
     */
    private boolean enabled;

    /** Where the page is, below the application's context path. */
    private String path = "/outbox";

    /** What users need to be in to act; all others who are signed in may look. */
    private String operatorRole = "OUTBOX_OPERATOR";

    /**
     * What those may do who are not signed in to the application, and come from this machine or one
     * of the anonymous networks.
     */
    private Anonymous anonymous = Anonymous.NONE;

    /** The networks from which nobody needs to sign in, such as 10.1.0.0/16. */
    private List<String> anonymousNetworks = List.of();

    /**
     * The names under which the page may be called, without port, beside localhost. Empty for any
     * name, or for localhost alone if those may use it who are not signed in.
     */
    private List<String> allowedHosts = List.of();

    /** The name of the environment, such as production, shown on every page and in its title. */
    private String environment;

    /** How the page marks the environment: red, orange, yellow, green, blue, purple or gray. */
    private String environmentColor;

    /** How often a page that is open is refreshed. */
    private Duration refreshInterval = Duration.ofSeconds(2);

    public boolean isEnabled() {
      return enabled;
    }

    public void setEnabled(boolean enabled) {
      this.enabled = enabled;
    }

    public String getPath() {
      return path;
    }

    public void setPath(String path) {
      this.path = path;
    }

    public String getOperatorRole() {
      return operatorRole;
    }

    public void setOperatorRole(String operatorRole) {
      this.operatorRole = operatorRole;
    }

    public Anonymous getAnonymous() {
      return anonymous;
    }

    public void setAnonymous(Anonymous anonymous) {
      this.anonymous = anonymous;
    }

    public List<String> getAnonymousNetworks() {
      return anonymousNetworks;
    }

    public void setAnonymousNetworks(List<String> anonymousNetworks) {
      this.anonymousNetworks = anonymousNetworks;
    }

    public List<String> getAllowedHosts() {
      return allowedHosts;
    }

    public void setAllowedHosts(List<String> allowedHosts) {
      this.allowedHosts = allowedHosts;
    }

    public String getEnvironment() {
      return environment;
    }

    public void setEnvironment(String environment) {
      this.environment = environment;
    }

    public String getEnvironmentColor() {
      return environmentColor;
    }

    public void setEnvironmentColor(String environmentColor) {
      this.environmentColor = environmentColor;
    }

    public Duration getRefreshInterval() {
      return refreshInterval;
    }

    public void setRefreshInterval(Duration refreshInterval) {
      this.refreshInterval = refreshInterval;
    }
  }

  /** Those whom the application does not know. */
  public enum Anonymous {
    NONE,
    READ_ONLY,
    OPERATOR
  }

  /** The inbox, if outbox-inbox is there. */
  public static class Inbox {

    /** The name of the inbox table, with a schema in front if need be. */
    private String tableName = "inbox_event";

    private final InboxPurge purge = new InboxPurge();

    public String getTableName() {
      return tableName;
    }

    public void setTableName(String tableName) {
      this.tableName = tableName;
    }

    public InboxPurge getPurge() {
      return purge;
    }
  }

  /** How processed events are forgotten. */
  public static class InboxPurge {

    /** Whether the inbox forgets events that were processed long ago. */
    private boolean enabled;

    /** How long an event that is delivered again is recognized. */
    private Duration retention = Duration.ofDays(30);

    /** How many events are forgotten in one transaction at most. */
    private int batchSize = 500;

    /** How often the inbox looks for events to forget. */
    private long intervalSeconds = 3600;

    public boolean isEnabled() {
      return enabled;
    }

    public void setEnabled(boolean enabled) {
      this.enabled = enabled;
    }

    public Duration getRetention() {
      return retention;
    }

    public void setRetention(Duration retention) {
      this.retention = retention;
    }

    public int getBatchSize() {
      return batchSize;
    }

    public void setBatchSize(int batchSize) {
      this.batchSize = batchSize;
    }

    public long getIntervalSeconds() {
      return intervalSeconds;
    }

    public void setIntervalSeconds(long intervalSeconds) {
      this.intervalSeconds = intervalSeconds;
    }
  }

  /** Metrics through Micrometer. */
  public static class Metrics {

    /** Whether metrics are reported, if outbox-micrometer and a MeterRegistry are there. */
    private boolean enabled = true;

    /** What the names of the meters begin with. */
    private String namePrefix = "outbox";

    public boolean isEnabled() {
      return enabled;
    }

    public void setEnabled(boolean enabled) {
      this.enabled = enabled;
    }

    public String getNamePrefix() {
      return namePrefix;
    }

    public void setNamePrefix(String namePrefix) {
      this.namePrefix = namePrefix;
    }
  }

  /** Traces through OpenTelemetry. */
  public static class Tracing {

    /** Whether events carry trace context, if outbox-tracing and an OpenTelemetry are there. */
    private boolean enabled = true;

    public boolean isEnabled() {
      return enabled;
    }

    public void setEnabled(boolean enabled) {
      this.enabled = enabled;
    }
  }

  /** The outbox table. */
  public static class Schema {

    /** When the table is created at the start, after Flyway and Liquibase. */
    private Initialize initialize = Initialize.EMBEDDED;

    /** Whether the application refuses to start if the table is missing or not as it should be. */
    private boolean validate = true;

    public Initialize getInitialize() {
      return initialize;
    }

    public void setInitialize(Initialize initialize) {
      this.initialize = initialize;
    }

    public boolean isValidate() {
      return validate;
    }

    public void setValidate(boolean validate) {
      this.validate = validate;
    }
  }

  /** When the health indicator reports DOWN. It always does if the table cannot be read. */
  public static class Health {

    /**
     * How old the oldest undelivered event may be, since it was first due or replayed. By default
     * as old as it likes. Without effect in the mode writer-only.
     */
    private Duration maxLag;

    /** How many events may be DEAD. By default any number. */
    private Integer maxDead;

    public Duration getMaxLag() {
      return maxLag;
    }

    public void setMaxLag(Duration maxLag) {
      if (maxLag != null && maxLag.isNegative()) {
        throw new IllegalArgumentException("outbox.health.max-lag must not be negative");
      }
      this.maxLag = maxLag;
    }

    public Integer getMaxDead() {
      return maxDead;
    }

    public void setMaxDead(Integer maxDead) {
      if (maxDead != null && maxDead < 0) {
        throw new IllegalArgumentException("outbox.health.max-dead must not be negative");
      }
      this.maxDead = maxDead;
    }
  }
}
