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
      'where objects are stored: embedded (in the data directory) or memory (lost on exit) (default embedded)',
  },
  {
    flag: '--seal-key-file <file>',
    description: 'key that encrypts secrets at rest (default seal.key in the data directory)',
  },
  { flag: '--log-level <level>', description: 'log level: debug, info, warn, error or silent (default info)' },
  { flag: '--config <file.yaml>', description: 'configuration file; flags take precedence' },
] as const satisfies readonly Flag[];

type NameIn<Text> = Text extends `--${infer Name} <${string}` ? Name : never;
export type FlagName = NameIn<(typeof startFlags)[number]['flag']>;
export type FlagValues = { readonly [Name in FlagName]?: string | readonly string[] };

export function flagName(flag: Flag): string {
  return flag.flag.slice(2, flag.flag.indexOf(' '));
}
