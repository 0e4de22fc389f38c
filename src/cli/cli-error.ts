/** The exit codes of the program. docs/reference/cli.md is generated from them. */
export const exitCodes = {
  success: 0,
  error: 1,
  usage: 2,
  notFound: 3,
  refused: 4,
  timeout: 5,
  interrupted: 130,
} as const;

export const exitCodeMeanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  success: 'Success',
  error: 'Any other error',
  usage: 'Invalid command line',
  notFound: 'Object not found',
  refused: 'Not logged in, or not allowed',
  timeout: 'Timed out',
  interrupted: 'Interrupted by Ctrl-C; 143 after SIGTERM',
};

/** An error that the user can fix. It is printed as one line, which tells the user what to do next. */
export class CliError extends Error {
  readonly exitCode: number;

  constructor(message: string, options: { exitCode?: number; next?: string; cause?: unknown } = {}) {
    super(options.next === undefined ? message : `${message}; ${options.next}`, { cause: options.cause });
    this.name = 'CliError';
    this.exitCode = options.exitCode ?? exitCodes.error;
  }
}

export function usageError(message: string): CliError {
  return new CliError(message, { exitCode: exitCodes.usage });
}

export function timeoutError(message: string, next?: string): CliError {
  return new CliError(message, { exitCode: exitCodes.timeout, ...(next === undefined ? {} : { next }) });
}
