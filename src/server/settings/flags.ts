/** A flag of `flotilla start`. The setting of the same name in a configuration file is equivalent. */
export interface Flag {
  /** Name and value, as the help text shows them. */
  readonly flag: `--${string} <${string}>`;
  readonly description: string;
  /** May be repeated; commas also separate values. */
  readonly many?: true;
}

export const defaultDataDir = '.flotilla';
export const defaultListen = '127.0.0.1:8443';

export const startFlags = [
  { flag: '--data-dir <directory>', description: `directory for all data (default ${defaultDataDir})` },
  { flag: '--listen <host:port>', description: `address to listen on, port 0 for any (default ${defaultListen})` },
  { flag: '--external-url <url>', description: 'URL in kubeconfigs (default the listen address)' },
  { flag: '--tls-cert-file <file>', description: 'TLS certificate, reloaded when it changes' },
  { flag: '--tls-key-file <file>', description: 'private key of the TLS certificate' },
  { flag: '--tls-san <name>', description: 'name or address in the generated certificate', many: true },
  { flag: '--api-prefix <word>', description: 'first path segment of the APIs (default kubernetes)' },
  {
    flag: '--store <store>',
    description: 'embedded (in the data directory) or memory (lost on exit) (default embedded)',
  },
  {
    flag: '--seal-key-file <file>',
    description: 'key that encrypts secrets at rest (default seal.key in the data directory)',
  },
  { flag: '--log-level <level>', description: 'debug, info, warn, error or silent (default info)' },
  { flag: '--config <file.yaml>', description: 'configuration file; flags take precedence' },
] as const satisfies readonly Flag[];

type NameIn<Text> = Text extends `--${infer Name} <${string}` ? Name : never;
export type FlagName = NameIn<(typeof startFlags)[number]['flag']>;
export type FlagValues = { readonly [Name in FlagName]?: string | readonly string[] };

export function flagName(flag: Flag): string {
  return flag.flag.slice(2, flag.flag.indexOf(' '));
}
