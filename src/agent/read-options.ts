import {
  optionalOrigin,
  readCustomTlsFlags,
  readListenAddress,
  readLogLevel,
  readOrigin,
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
  const required = (name: string): string => {
    const value = flags.text(name) ?? '';
    if (value === '') throw new StartError(`--${name} is required`);
    return value;
  };
  const kubeconfigFile = flags.text('kubeconfig');
  if (flags.flag('built-in') && kubeconfigFile !== undefined) {
    throw new StartError('--built-in and --kubeconfig are mutually exclusive');
  }
  return {
    management: readOrigin('management', required('management')),
    caFile: flags.text('ca-file'),
    cluster: required('cluster'),
    accessKeyFile: required('access-key-file'),
    dataDir: flags.text('data-dir') ?? defaultAgentDataDir,
    listen: readListenAddress(flags.text('listen') ?? defaultAgentListen, defaultAgentListen),
    externalUrl: optionalOrigin('external-url', flags.text('external-url')),
    usesTunnel: flags.flag('tunnel'),
    proxyUrl: optional(flags.text('proxy-url'), parseProxyUrl),
    proxyUrlFile: flags.text('proxy-url-file'),
    tls: readCustomTlsFlags(flags.text('tls-cert-file'), flags.text('tls-key-file')),
    tlsSan: readTlsNames(flags.list('tls-san')),
    apiPrefix: flags.text('api-prefix') ?? 'kubernetes',
    host: flags.flag('built-in') ? { kind: 'built-in' } : { kind: 'kubernetes', kubeconfigFile },
    planeWorkers: optional(flags.text('plane-workers'), parseWorkers),
    encryptedRows: optional(flags.text('encryption-rows'), parseRows),
    maxPolicyAge: optional(flags.text('max-policy-age'), parseDuration) ?? defaultMaxPolicyAge,
    logLevel: readLogLevel(flags.text('log-level') ?? 'info'),
  };
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
