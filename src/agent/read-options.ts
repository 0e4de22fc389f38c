import {
  optionalOrigin,
  readCustomTlsFlags,
  readListenAddress,
  readLogLevel,
  readOrigin,
  readTlsNames,
} from '../process/read-flags.ts';
import { StartError } from '../process/start-error.ts';
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
    tls: readCustomTlsFlags(flags.text('tls-cert-file'), flags.text('tls-key-file')),
    tlsSan: readTlsNames(flags.list('tls-san')),
    apiPrefix: flags.text('api-prefix') ?? 'kubernetes',
    host: flags.flag('built-in') ? { kind: 'built-in' } : { kind: 'kubernetes', kubeconfigFile },
    planeWorkers: optional(flags.text('plane-workers'), parseWorkers),
    maxPolicyAge: optional(flags.text('max-policy-age'), parseDuration) ?? defaultMaxPolicyAge,
    logLevel: readLogLevel(flags.text('log-level') ?? 'info'),
  };
}

function optional<T>(text: string | undefined, read: (text: string) => T): T | undefined {
  return text === undefined ? undefined : read(text);
}

function parseWorkers(text: string): number {
  if (!/^\d{1,3}$/.test(text)) throw new StartError(`--plane-workers: "${text}" is not a number from 0 to 999`);
  return Number(text);
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
