/** One entry of the setting `audit.forward`: a system that receives all lines of the audit log. */
export interface ForwardSettings {
  /** Identifies the target. The position in the log is stored under this name. */
  readonly name: string;
  readonly type: 'webhook' | 'syslog';
  /** `https://…` for a webhook, `tls://host:port` for syslog. */
  readonly url: string;
  /** The body format of requests to a webhook. */
  readonly format: 'jsonl' | 'list';
  /** The scheme with which requests to a webhook are authenticated. The secret is the content of `secretFile`. */
  readonly auth: 'none' | 'bearer' | 'hmac';
  readonly secretFile?: string | undefined;
  /** The CA certificates that verify the target. Optional; defaults to those of Node.js. */
  readonly caFile?: string | undefined;
  /** The files with the client certificate (`certFile`) and its key. */
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
}
