import { StatusError } from '../api/status.ts';

/** The exit codes of the program. docs/reference/cli.md is generated from this list. */
export const exitCodes = {
  success: 0,
  error: 1,
  usage: 2,
  refused: 3,
  notFound: 4,
  conflict: 5,
  timeout: 6,
  interrupted: 130,
} as const;

export const exitCodeMeanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  success: 'Success',
  error: 'Any other error',
  usage: 'Invalid command line',
  refused: 'Not logged in, or not allowed',
  notFound: 'Object not found, or an object that it names',
  conflict: 'Object already exists, or was changed in the meantime',
  timeout: 'Timed out',
  interrupted: 'Interrupted by Ctrl-C; 143 after SIGTERM',
};

/** Returns the exit code for an error response of the server. */
export function exitCodeOfStatus({ code }: StatusError): number {
  switch (code) {
    case 401:
    case 403:
      return exitCodes.refused;
    case 404:
      return exitCodes.notFound;
    case 409:
      return exitCodes.conflict;
    case 408:
    case 504:
      return exitCodes.timeout;
    default:
      return exitCodes.error;
  }
}

/**
 * An error that the user can fix. It is printed as one line, which says what the user can do next. The exit code is
 * optional; it defaults to the exit code for the error response in `cause`, or to `error`.
 */
export class CliError extends Error {
  readonly exitCode: number;

  constructor(message: string, options: { exitCode?: number; next?: string; cause?: unknown } = {}) {
    super(options.next === undefined ? message : `${message}; ${options.next}`, { cause: options.cause });
    this.name = 'CliError';
    this.exitCode =
      options.exitCode ?? (options.cause instanceof StatusError ? exitCodeOfStatus(options.cause) : exitCodes.error);
  }
}

export function usageError(message: string): CliError {
  return new CliError(message, { exitCode: exitCodes.usage });
}

export function timeoutError(message: string, next?: string): CliError {
  return new CliError(message, { exitCode: exitCodes.timeout, ...(next === undefined ? {} : { next }) });
}
