import { isIPv6 } from 'node:net';
import { type LogLevel, logLevels } from './open-log.ts';
import { StartError } from './start-error.ts';

/*
 * Flags shared by all server commands. Each function throws StartError with a one-line message.
 */

/**
 * Parses a listen address such as `127.0.0.1:8443` or `[::1]:8443`. Error messages contain the name of the flag and
 * `example`.
 */
export function readListenAddress(text: string, example: string, flag = 'listen'): { host: string; port: number } {
  const match = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  if (host === undefined || port > 65_535 || (match?.[1] !== undefined && !isIPv6(host))) {
    throw new StartError(`--${flag}: "${text}" is not host:port (for example ${example} or [::1]:8443)`);
  }
  return { host, port };
}

/** Parses the value of a flag that must be `https://host` or `https://host:port`. Throws if it has a path. */
export function readOrigin(flag: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.protocol !== 'https:' || url.href !== `${url.origin}/`) {
    throw new StartError(`--${flag}: "${text}" is not https://host or https://host:port`);
  }
  return url.origin;
}

export function optionalOrigin(flag: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : readOrigin(flag, text);
}

export function readCustomTlsFlags(
  certFile: string | undefined,
  keyFile: string | undefined,
): { certFile: string; keyFile: string } | undefined {
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined) throw new StartError('--tls-key-file needs --tls-cert-file');
  if (keyFile === undefined) throw new StartError('--tls-cert-file needs --tls-key-file');
  return { certFile, keyFile };
}

export function readTlsNames(values: string | readonly string[]): readonly string[] {
  const names = [values].flat().flatMap((value) => value.split(','));
  for (const name of names) {
    if (!/^(\*\.)?[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(name) && !isIPv6(name)) {
      throw new StartError(`--tls-san: "${name}" is neither a host name nor an address`);
    }
  }
  return names;
}

export function readLogLevel(text: string): LogLevel {
  const level = logLevels.find((each) => each === text);
  if (level === undefined) throw new StartError(`--log-level: "${text}" is not one of ${logLevels.join(', ')}`);
  return level;
}
