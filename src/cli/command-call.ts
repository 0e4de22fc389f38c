import type { Terminal } from './output/terminal.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** One command line that was understood, and what the command may touch. */
export interface CommandCall {
  readonly values: CallValues;
  readonly terminal: Terminal;
  readonly environment: Environment;
  /**
   * Fires on the first Ctrl-C or SIGTERM; the second ends the program at once. Who asks for it takes over: until then
   * signals do what they do to any program.
   */
  readonly interrupted: AbortSignal;
  /** Signals are somebody else's from now on: of a program that this command runs, and that has the terminal. */
  leaveSignals(): void;
}

/** What was given, by the names that the command's description has. */
export interface CallValues {
  /** An argument that is always there. */
  argument(name: string): string;
  optionalArgument(name: string): string | undefined;
  /** The words of an argument that takes several. */
  rest(name: string): readonly string[];
  /** The value of `--<option>`. */
  text(option: string): string | undefined;
  flag(option: string): boolean;
  list(option: string): readonly string[];
}

export type GivenOption = string | boolean | readonly string[] | undefined;

export function callValues(
  args: ReadonlyMap<string, string | readonly string[] | undefined>,
  options: ReadonlyMap<string, GivenOption>,
): CallValues {
  const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  const listOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value : []);
  return {
    argument: (name) => textOf(args.get(name)) ?? '',
    optionalArgument: (name) => textOf(args.get(name)),
    rest: (name) => listOf(args.get(name)),
    text: (option) => textOf(options.get(option)),
    flag: (option) => options.get(option) === true,
    list: (option) => listOf(options.get(option)),
  };
}
