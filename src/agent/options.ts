import type { EncryptedRows } from '../seal/rows/row-cipher.ts';

/** The validated options of an agent. */
export interface AgentOptions {
  /** The address of the control server, as `https://host:port`. `undefined` to use the address in the join token. */
  readonly management: string | undefined;
  /**
   * A file with the server's certificate authorities as PEM; `undefined` to use the authorities in the join token, or
   * otherwise the machine's trusted authorities.
   */
  readonly caFile: string | undefined;
  /** The name of the agent's Cluster object. `undefined` to use the name in the join token. */
  readonly cluster: string | undefined;
  /** A file with the access key of the agent; `undefined` if the agent joins with a token, or has already joined. */
  readonly accessKeyFile: string | undefined;
  /** The join token. `undefined` if `joinTokenFile` contains it, or if the agent needs none. */
  readonly joinToken: string | undefined;
  readonly joinTokenFile: string | undefined;
  readonly dataDir: string;
  readonly listen: { readonly host: string; readonly port: number };
  /**
   * The address at which clients and the control server reach the agent; `undefined` if that is the listen address.
   */
  readonly externalUrl: string | undefined;
  /** True if the agent opens tunnels to the control server. The agent then needs no address that the server can reach. */
  readonly usesTunnel: boolean;
  /** The HTTP proxy through which the agent reaches the control server; `undefined` if it needs none. */
  readonly proxyUrl: string | undefined;
  /** A file with the URL of the HTTP proxy, which may contain a password; `undefined` if there is none. */
  readonly proxyUrlFile: string | undefined;
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly tlsSan: readonly string[];
  /**
   * The API prefix of the control server. `undefined` to use the prefix in the join token, or otherwise `kubernetes`.
   */
  readonly apiPrefix: string | undefined;
  readonly host: AgentHostOptions;
  /** True if the agent permits only the requests that imported virtual clusters need. */
  readonly readOnly: boolean;
  /** The Helm release that runs the agent, which the status of the cluster shows; `undefined` if there is none. */
  readonly release: { readonly name: string; readonly namespace: string } | undefined;
  /**
   * The number of worker threads that run the virtual clusters of a built-in cluster. With 0 they run on the main
   * thread. `undefined` for one thread per core.
   */
  readonly planeWorkers: number | undefined;
  /** The rows of a built-in cluster to encrypt; `undefined` to keep the choice with which its store was created. */
  readonly encryptedRows: EncryptedRows | undefined;
  /** The maximum age of the cached policy, in milliseconds. The agent rejects requests if the policy is older. */
  readonly maxPolicyAge: number;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
}

/** The options of an agent whose server and cluster are known. */
export type ConnectedAgentOptions = AgentOptions & Readonly<Record<'management' | 'cluster' | 'apiPrefix', string>>;

/** The kind of cluster that the agent serves, and how the agent reaches it. */
export type AgentHostOptions =
  | { readonly kind: 'built-in' }
  /** `kubeconfigFile` is `undefined` if the agent runs in a pod of the cluster and uses its service account. */
  | { readonly kind: 'kubernetes'; readonly kubeconfigFile: string | undefined };

export const defaultMaxPolicyAge = 24 * 3600_000;
export const defaultAgentDataDir = '.flotilla-agent';
export const defaultApiPrefix = 'kubernetes';
export const defaultAgentListen = '127.0.0.1:8444';
