/** Everything that an agent is told when it starts, decided. */
export interface AgentOptions {
  /** The central server: `https://host:port`. */
  readonly management: string;
  /** PEM; undefined: it is checked by what the machine trusts. */
  readonly caFile: string | undefined;
  /** The name of the Cluster whose agent this is. */
  readonly cluster: string;
  readonly accessKeyFile: string;
  readonly dataDir: string;
  readonly listen: { readonly host: string; readonly port: number };
  /** Where clients and the centre find the agent; undefined: where it listens. */
  readonly externalUrl: string | undefined;
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly tlsSan: readonly string[];
  readonly apiPrefix: string;
  readonly host: AgentHostOptions;
  /** What the centre told longer ago than this, in milliseconds, is not acted on any more. */
  readonly maxPolicyAge: number;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
}

/** The cluster that the agent stands beside. */
export type AgentHostOptions =
  | { readonly kind: 'built-in' }
  /** undefined: the agent runs in a pod of it. */
  | { readonly kind: 'kubernetes'; readonly kubeconfigFile: string | undefined };

export const defaultMaxPolicyAge = 24 * 3600_000;
export const defaultAgentDataDir = '.flotilla-agent';
export const defaultAgentListen = '127.0.0.1:8444';
