/** A flag of `flotilla start`; the setting of the same name in a configuration file means the same. */
export interface Flag {
  /** As the command line shows it: name and value. */
  readonly flag: `--${string} <${string}>`;
  readonly description: string;
  /** May be given several times; commas part values too. */
  readonly many?: true;
}

export const defaultDataDir = '.flotilla';
export const defaultListen = '127.0.0.1:8443';

export const startFlags = [
  { flag: '--data-dir <directory>', description: `where everything is kept (default ${defaultDataDir})` },
  { flag: '--listen <host:port>', description: `address to serve on, port 0 = any (default ${defaultListen})` },
  { flag: '--external-url <url>', description: 'what kubeconfigs name (default the listen address)' },
  { flag: '--tls-cert-file <file>', description: 'certificate of your own, read again when it changes' },
  { flag: '--tls-key-file <file>', description: 'its private key' },
  { flag: '--tls-san <name>', description: 'name or address for the self-made certificate', many: true },
  { flag: '--api-prefix <word>', description: 'first path segment of the APIs (default kubernetes)' },
  {
    flag: '--store <store>',
    description: 'embedded (in the data directory) or memory (nothing is kept) (default embedded)',
  },
  { flag: '--seal-key-file <file>', description: 'key that seals secrets at rest (default seal.key there)' },
  { flag: '--log-level <level>', description: 'debug, info, warn, error or silent (default info)' },
  { flag: '--config <file.yaml>', description: 'the same settings as a file; flags win' },
] as const satisfies readonly Flag[];

type NameIn<Text> = Text extends `--${infer Name} <${string}` ? Name : never;
export type FlagName = NameIn<(typeof startFlags)[number]['flag']>;
export type FlagValues = { readonly [Name in FlagName]?: string | readonly string[] };

export function flagName(flag: Flag): string {
  return flag.flag.slice(2, flag.flag.indexOf(' '));
}
