import { isIPv6 } from 'node:net';
import { type LogLevel, logLevels } from '../process/open-log.ts';
import { StartError } from '../process/start-error.ts';
import { type AgentOptions, defaultAgentDataDir, defaultAgentListen, defaultMaxPolicyAge } from './options.ts';

/** What the command line gave, by the names of its flags. */
export interface AgentFlags {
  text(name: string): string | undefined;
  list(name: string): readonly string[];
  flag(name: string): boolean;
}

/** Throws StartError with one clear line. */
export function readAgentOptions(flags: AgentFlags): AgentOptions {
  const needed = (name: string): string => {
    const value = flags.text(name) ?? '';
    if (value === '') throw new StartError(`--${name} is missing`);
    return value;
  };
  const kubeconfigFile = flags.text('kubeconfig');
  if (flags.flag('built-in') && kubeconfigFile !== undefined) {
    throw new StartError('--built-in and --kubeconfig: the agent stands beside one cluster, or is one');
  }
  return {
    management: origin('management', needed('management')),
    caFile: flags.text('ca-file'),
    cluster: needed('cluster'),
    accessKeyFile: needed('access-key-file'),
    dataDir: flags.text('data-dir') ?? defaultAgentDataDir,
    listen: listenAddress(flags.text('listen') ?? defaultAgentListen),
    externalUrl: optional(flags.text('external-url'), (text) => origin('external-url', text)),
    tls: ownCertificate(flags),
    tlsSan: flags.list('tls-san').flatMap((value) => value.split(',')),
    apiPrefix: flags.text('api-prefix') ?? 'kubernetes',
    host: flags.flag('built-in') ? { kind: 'built-in' } : { kind: 'kubernetes', kubeconfigFile },
    maxPolicyAge: optional(flags.text('max-policy-age'), hours) ?? defaultMaxPolicyAge,
    logLevel: logLevel(flags.text('log-level') ?? 'info'),
  };
}

function optional<T>(text: string | undefined, read: (text: string) => T): T | undefined {
  return text === undefined ? undefined : read(text);
}

function origin(flag: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' || url.href !== `${url.origin}/`) {
    throw new StartError(`--${flag}: "${text}" is not https://host or https://host:port`);
  }
  return url.origin;
}

function listenAddress(text: string): AgentOptions['listen'] {
  const match = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  if (host === undefined || port > 65_535 || (match?.[1] !== undefined && !isIPv6(host))) {
    throw new StartError(`--listen: "${text}" is not host:port (for example ${defaultAgentListen})`);
  }
  return { host, port };
}

function ownCertificate(flags: AgentFlags): AgentOptions['tls'] {
  const [certFile, keyFile] = [flags.text('tls-cert-file'), flags.text('tls-key-file')];
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined) throw new StartError('--tls-key-file needs --tls-cert-file');
  if (keyFile === undefined) throw new StartError('--tls-cert-file needs --tls-key-file');
  return { certFile, keyFile };
}

/** `24h`, `90m`, `30s`. */
function hours(text: string): number {
  const match = /^(\d{1,6})(h|m|s)$/.exec(text);
  const unit = { h: 3600_000, m: 60_000, s: 1000 }[match?.[2] ?? ''];
  if (match === null || unit === undefined) {
    throw new StartError(`--max-policy-age: "${text}" is no time such as 24h, 90m or 30s`);
  }
  return Number(match[1]) * unit;
}

function logLevel(text: string): LogLevel {
  const found = logLevels.find((level) => level === text);
  if (found === undefined) throw new StartError(`--log-level: "${text}" is none of ${logLevels.join(', ')}`);
  return found;
}
