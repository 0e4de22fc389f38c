import {
  optionalOrigin,
  readCustomTlsFlags,
  readListenAddress,
  readLogLevel,
  readTlsNames,
} from '../process/read-flags.ts';
import { StartError } from '../process/start-error.ts';
import type { EncryptedRows } from '../seal/rows/row-cipher.ts';
import { type AgentOptions, defaultAgentDataDir, defaultAgentListen, defaultMaxPolicyAge } from './options.ts';

/** The values of command line flags, by flag name. */
export interface AgentFlags {
  text(name: string): string | undefined;
  list(name: string): readonly string[];
  flag(name: string): boolean;
}

/** Reads the options of an agent from its flags. Throws StartError with a one-line message if a flag is invalid. */
export function readAgentOptions(flags: AgentFlags): AgentOptions {
  const kubeconfigFile = flags.text('kubeconfig');
  if (flags.flag('built-in') && kubeconfigFile !== undefined) {
    throw new StartError('--built-in and --kubeconfig are mutually exclusive');
  }
  if (flags.flag('built-in') && flags.flag('read-only')) {
    throw new StartError(
      '--built-in and --read-only are mutually exclusive: virtual clusters are created in a built-in cluster',
    );
  }
  const credentials = ['access-key-file', 'join-token', 'join-token-file'].filter(
    (name) => flags.text(name) !== undefined,
  );
  if (credentials.includes('access-key-file')) {
    requiredFlag('management', flags.text('management'));
    requiredFlag('cluster', flags.text('cluster'));
  }
  if (credentials.length > 1) throw new StartError(`--${credentials.join(' and --')} are mutually exclusive`);
  return {
    management: optionalOrigin('management', flags.text('management')),
    caFile: flags.text('ca-file'),
    cluster: flags.text('cluster'),
    accessKeyFile: flags.text('access-key-file'),
    joinToken: flags.text('join-token'),
    joinTokenFile: flags.text('join-token-file'),
    dataDir: flags.text('data-dir') ?? defaultAgentDataDir,
    listen: readListenAddress(flags.text('listen') ?? defaultAgentListen, defaultAgentListen),
    externalUrl: optionalOrigin('external-url', flags.text('external-url')),
    usesTunnel: flags.flag('tunnel'),
    proxyUrl: optional(flags.text('proxy-url'), parseProxyUrl),
    proxyUrlFile: flags.text('proxy-url-file'),
    tls: readCustomTlsFlags(flags.text('tls-cert-file'), flags.text('tls-key-file')),
    tlsSan: readTlsNames(flags.list('tls-san')),
    apiPrefix: flags.text('api-prefix'),
    host: flags.flag('built-in') ? { kind: 'built-in' } : { kind: 'kubernetes', kubeconfigFile },
    readOnly: flags.flag('read-only'),
    release: optional(flags.text('helm-release'), parseRelease),
    planeWorkers: optional(flags.text('plane-workers'), parseWorkers),
    encryptedRows: optional(flags.text('encryption-rows'), parseRows),
    maxPolicyAge: optional(flags.text('max-policy-age'), parseDuration) ?? defaultMaxPolicyAge,
    logLevel: readLogLevel(flags.text('log-level') ?? 'info'),
  };
}

/**
 * Returns the value of a flag that is required for an agent with an access key. Throws StartError if the flag is
 * missing.
 */
export function requiredFlag(name: string, value: string | undefined): string {
  if (value === undefined || value === '') throw new StartError(`--${name} is required with --access-key-file`);
  return value;
}

function optional<T>(text: string | undefined, read: (text: string) => T): T | undefined {
  return text === undefined ? undefined : read(text);
}

function parseProxyUrl(text: string): string {
  if (!isProxyUrl(text)) throw new StartError('--proxy-url: the value is not a URL such as http://host:port');
  if (new URL(text).password !== '') {
    throw new StartError(
      '--proxy-url contains a password, which other users of this machine can read; use --proxy-url-file',
    );
  }
  return text;
}

/** True for the URL of an HTTP proxy: `http://host:port`, also with a user name and password. */
export function isProxyUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function parseRelease(text: string): AgentOptions['release'] {
  const [, namespace = '', name = ''] = /^([a-z0-9][-a-z0-9]{0,62})\/([a-z0-9][-.a-z0-9]{0,52})$/.exec(text) ?? [];
  if (name === '') throw new StartError(`--helm-release: "${text}" is not NAMESPACE/NAME`);
  return { namespace, name };
}

function parseWorkers(text: string): number {
  if (!/^\d{1,3}$/.test(text)) throw new StartError(`--plane-workers: "${text}" is not a number from 0 to 999`);
  return Number(text);
}

function parseRows(text: string): EncryptedRows {
  if (text === 'all' || text === 'secrets') return text;
  throw new StartError(`--encryption-rows: "${text}" is not all or secrets`);
}

/** Parses a duration such as `24h`, `90m` or `30s`. Returns milliseconds. */
function parseDuration(text: string): number {
  const match = /^(\d{1,6})(h|m|s)$/.exec(text);
  const unit = { h: 3600_000, m: 60_000, s: 1000 }[match?.[2] ?? ''];
  if (match === null || unit === undefined) {
    throw new StartError(`--max-policy-age: "${text}" is not a duration such as 24h, 90m or 30s`);
  }
  return Number(match[1]) * unit;
}
