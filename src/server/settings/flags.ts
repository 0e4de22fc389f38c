/** A flag of `flotilla start`. A configuration file may contain the same setting under the name of the flag. */
export interface Flag {
  /** The flag and its value, as in the help text. */
  readonly flag: `--${string} <${string}>`;
  readonly description: string;
  /** True if the flag can be repeated. One flag can also have several values, separated by commas. */
  readonly many?: true;
}

export const defaultDataDir = '.flotilla';
export const defaultListen = '127.0.0.1:8443';
/** The default prefix of all keys in etcd. */
export const defaultEtcdPrefix = 'flotilla';

export const startFlags = [
  { flag: '--data-dir <directory>', description: `directory for all data (default ${defaultDataDir})` },
  {
    flag: '--listen <host:port>',
    description: `address to listen on; port 0 selects a free port (default ${defaultListen})`,
  },
  { flag: '--external-url <url>', description: 'URL of this server in kubeconfigs (default the listen address)' },
  { flag: '--tls-cert-file <file>', description: 'TLS certificate; the server reloads it when the file changes' },
  { flag: '--tls-key-file <file>', description: 'private key of the TLS certificate' },
  {
    flag: '--tls-san <name>',
    description: 'additional DNS name or IP address for the generated certificate',
    many: true,
  },
  { flag: '--api-prefix <word>', description: 'first path segment of the APIs (default kubernetes)' },
  {
    flag: '--store <store>',
    description:
      'where objects are stored: embedded (in the data directory), memory (lost on exit), or the addresses of etcd: https://etcd-1:2379,https://etcd-2:2379 (default embedded)',
  },
  {
    flag: '--etcd-prefix <prefix>',
    description: `start of all keys in etcd; servers with the same prefix are replicas (default ${defaultEtcdPrefix})`,
  },
  {
    flag: '--etcd-ca-file <file>',
    description: 'CA certificates that verify etcd (default the CA certificates of Node.js)',
  },
  { flag: '--etcd-cert-file <file>', description: 'client certificate for etcd' },
  { flag: '--etcd-key-file <file>', description: 'private key of the client certificate for etcd' },
  { flag: '--etcd-username <name>', description: 'user name for etcd' },
  { flag: '--etcd-password-file <file>', description: 'file with the password for etcd' },
  {
    flag: '--peer-listen <host:port>',
    description:
      'address to listen on for other replicas, which search the audit log and use the tunnels of agents there (default a free port on the host of --listen)',
  },
  {
    flag: '--seal-key-file <file>',
    description:
      'seal keys, one per line, which protect the keys of the store; the first one encrypts, the others only decrypt (default seal.key in the data directory)',
  },
  {
    flag: '--signing-key-file <file>',
    description:
      'key that signs tokens; stored at the first start, and must belong to the installation later (default signing.key in the data directory)',
  },
  {
    flag: '--ca-cert-file <file>',
    description:
      'certificate authority of the servers; stored at the first start, and must belong to the installation later (default ca.crt in the data directory)',
  },
  { flag: '--ca-key-file <file>', description: 'private key of the certificate authority (default ca.key)' },
  { flag: '--log-level <level>', description: 'log level: debug, info, warn, error or silent (default info)' },
  { flag: '--config <file.yaml>', description: 'configuration file; flags take precedence' },
] as const satisfies readonly Flag[];

type NameIn<Text> = Text extends `--${infer Name} <${string}` ? Name : never;
export type FlagName = NameIn<(typeof startFlags)[number]['flag']>;
export type FlagValues = { readonly [Name in FlagName]?: string | readonly string[] };

export function flagName(flag: Flag): string {
  return flag.flag.slice(2, flag.flag.indexOf(' '));
}
