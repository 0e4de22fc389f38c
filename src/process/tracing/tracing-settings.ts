/** The settings of the group `tracing`. */
export interface TracingSettings {
  /** The URL to which spans are sent (OTLP over HTTP, with protobuf); `undefined` if tracing is off. */
  readonly endpoint: string | undefined;
  readonly sampleRatio: number;
  readonly trustCallers: boolean;
  readonly serviceName: string;
  /** A file with headers of the requests, one `name: value` per line. */
  readonly headersFile: string | undefined;
  readonly caFile: string | undefined;
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
}
