import { StatusError } from '../../api/status.ts';
import { escapeControlCharacters } from '../../client/escape-controls.ts';
import { CliError, exitCodeOfStatus, exitCodes } from '../cli-error.ts';
import { type KnownNames, missingNameIn } from './missing-name.ts';
import { statusText } from './status-text.ts';

export interface Failure {
  readonly text: string;
  readonly exitCode: number;
  /** The error response that caused the failure, in one line; absent if there is none. `--verbose` shows it. */
  readonly response?: string;
}

/**
 * Error classes of the server (start, backup, …) whose errors the user can fix. They are compared by name, so that the
 * client does not load the server's code.
 */
const userErrors: ReadonlySet<string> = new Set(['StartError', 'StoreError', 'SealError', 'BackupError']);

/**
 * Describes an error for the user: in one line if the user can fix it, otherwise with the stack, because it is a bug.
 * `known` are the existing names to suggest if the server did not find a name.
 */
export function describeFailure(error: unknown, known?: KnownNames): Failure {
  if (error instanceof CliError)
    return { text: oneLine(error.message), exitCode: exitCodeOf(error, error.cause), ...responseIn(error.cause) };
  if (error instanceof StatusError)
    return { text: oneLine(statusText(error, known)), exitCode: exitCodeOf(error, error), ...responseIn(error) };
  if (!(error instanceof Error)) return { text: String(error), exitCode: exitCodes.error };
  // A failed system call, for example an unreadable file or a full disk, has a message that names the cause.
  if (userErrors.has(error.name) || 'syscall' in error)
    return { text: oneLine(error.message), exitCode: exitCodes.error };
  return { text: error.stack ?? error.message, exitCode: exitCodes.error };
}

/**
 * Returns the exit code of an error. An error about a field that refers to a missing object has the exit code
 * `notFound` instead of `error`.
 */
function exitCodeOf(error: CliError | StatusError, response: unknown): number {
  const exitCode = error instanceof CliError ? error.exitCode : exitCodeOfStatus(error);
  const isMissing = response instanceof StatusError && missingNameIn(response) !== undefined;
  return exitCode === exitCodes.error && isMissing ? exitCodes.notFound : exitCode;
}

function responseIn(error: unknown): Pick<Failure, 'response'> {
  if (!(error instanceof StatusError)) return {};
  return { response: oneLine([error.code, error.status.reason ?? '', error.message].join(' ')) };
}

function oneLine(text: string): string {
  return escapeControlCharacters(text.replaceAll(/\s+/g, ' ')).trim();
}
