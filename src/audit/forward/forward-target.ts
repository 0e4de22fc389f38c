import { readFile } from 'node:fs/promises';
import { errorCode } from '../../lib/private-file.ts';
import type { ForwardSettings } from './forward-settings.ts';

/** Sends lines of the audit log to another system. */
export interface ForwardTarget {
  /** Resolves after the target has received all lines. Rejects with ForwardError. */
  send(lines: readonly string[], signal: AbortSignal): Promise<void>;
}

/** The reason why a target did not receive lines. The message contains no secret and nothing that the target sent. */
export class ForwardError extends Error {
  override readonly name = 'ForwardError';
}

/** The time, in milliseconds, within which a target must respond. Otherwise the lines count as not received. */
export const sendMilliseconds = 30_000;

/** The TLS options of a connection. The files are read for each connection, so that they can be replaced. */
export interface TargetTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

export async function readTargetTls({ caFile, certFile, keyFile }: ForwardSettings): Promise<TargetTls> {
  const [ca, cert, key] = await Promise.all([
    readTargetFile('caFile', caFile),
    readTargetFile('certFile', certFile),
    readTargetFile('keyFile', keyFile),
  ]);
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}

/** Reads a file that a setting names. Rejects with ForwardError. */
export async function readTargetFile(setting: string, path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  return await readFile(path, 'utf8').catch((error: unknown) => {
    throw new ForwardError(`${setting}: cannot read ${path} (${errorCode(error) ?? 'unknown error'})`);
  });
}

/**
 * Returns the error of a connection as a ForwardError. Keeps only the error code, because an error message could
 * contain a header.
 */
export function connectionError(error: unknown): ForwardError {
  if (error instanceof ForwardError) return error;
  return new ForwardError(`the connection failed (${errorCode(error) ?? 'unknown error'})`);
}
