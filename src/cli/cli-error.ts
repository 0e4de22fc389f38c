/** What the program ends with; docs/reference/cli.md says the same, from here. */
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
  success: 'done',
  error: 'an error that none of the others names',
  usage: 'the command line cannot be understood',
  notFound: 'what was named is not there',
  refused: 'not logged in, or not allowed',
  timeout: 'it was not done in the time that was given for it',
  interrupted: 'Ctrl-C; 143 is SIGTERM',
};

/** A fault that the user can mend: told in one line that says what to do next. */
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
