/** The validated options of an agent. */
export interface AgentOptions {
  /** The control server: `https://host:port`. */
  readonly management: string;
  /** File with PEM certificates; `undefined` to use the trusted authorities of the machine. */
  readonly caFile: string | undefined;
  /** The name of the agent's Cluster object. */
  readonly cluster: string;
  readonly accessKeyFile: string;
  readonly dataDir: string;
  readonly listen: { readonly host: string; readonly port: number };
  /** The address at which clients and the control server reach the agent; `undefined` for its listen address. */
  readonly externalUrl: string | undefined;
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly tlsSan: readonly string[];
  readonly apiPrefix: string;
  readonly host: AgentHostOptions;
  /** Maximum age of the cached policy, in milliseconds. */
  readonly maxPolicyAge: number;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
}

/** The cluster of the agent. */
export type AgentHostOptions =
  | { readonly kind: 'built-in' }
  /** `undefined` if the agent runs in a pod of the cluster. */
  | { readonly kind: 'kubernetes'; readonly kubeconfigFile: string | undefined };

export const defaultMaxPolicyAge = 24 * 3600_000;
export const defaultAgentDataDir = '.flotilla-agent';
export const defaultAgentListen = '127.0.0.1:8444';
