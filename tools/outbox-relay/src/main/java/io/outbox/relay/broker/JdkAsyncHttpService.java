package io.outbox.relay.broker;

import software.amazon.awssdk.http.SdkHttpConfigurationOption;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;
import software.amazon.awssdk.http.async.SdkAsyncHttpService;
import software.amazon.awssdk.utils.AttributeMap;

/** How the AWS SDK finds {@link JdkAsyncHttpClient}. */
public final class JdkAsyncHttpService implements SdkAsyncHttpService {

  private static final class Builder implements SdkAsyncHttpClient.Builder<Builder> {
    @Override
    public SdkAsyncHttpClient buildWithDefaults(AttributeMap defaults) {
      AttributeMap settings = defaults.merge(SdkHttpConfigurationOption.GLOBAL_HTTP_DEFAULTS);
      return new JdkAsyncHttpClient(
          settings.get(SdkHttpConfigurationOption.CONNECTION_TIMEOUT),
          settings.get(SdkHttpConfigurationOption.READ_TIMEOUT));
    }
  }

  /** Called by {@link java.util.ServiceLoader}. */
  public JdkAsyncHttpService() {}

  @Override
  public SdkAsyncHttpClient.Builder<?> createAsyncHttpClientFactory() {
    return new Builder();
  }
}
