import type { Environment } from './environment.ts';
import type { Terminal } from './output/terminal.ts';

/** One call of the program: the parsed command line, and the resources that the command may use. */
export interface CommandCall {
  readonly values: CallValues;
  readonly terminal: Terminal;
  readonly environment: Environment;
  /**
   * Aborted by the first Ctrl-C or SIGTERM. A second signal ends the process immediately. The first read of this
   * property installs the signal handlers; before that, signals have their default effect.
   */
  readonly interrupted: AbortSignal;
  /** Removes the signal handlers, so that a child process in the same terminal can handle signals itself. */
  releaseSignals(): void;
}

/** The arguments and options of a call, by their names in the CommandSpec. */
export interface CallValues {
  /** Returns a required argument. */
  argument(name: string): string;
  optionalArgument(name: string): string | undefined;
  /** Returns the values of an argument that accepts several values. */
  argumentList(name: string): readonly string[];
  /** Returns the value of `--<option>`; `undefined` if the option is not given. */
  text(option: string): string | undefined;
  flag(option: string): boolean;
  list(option: string): readonly string[];
}

export type OptionValue = string | boolean | readonly string[] | undefined;

export function callValues(
  args: ReadonlyMap<string, string | readonly string[] | undefined>,
  options: ReadonlyMap<string, OptionValue>,
): CallValues {
  const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  const listOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value : []);
  return {
    argument: (name) => textOf(args.get(name)) ?? '',
    optionalArgument: (name) => textOf(args.get(name)),
    argumentList: (name) => listOf(args.get(name)),
    text: (option) => textOf(options.get(option)),
    flag: (option) => options.get(option) === true,
    list: (option) => listOf(options.get(option)),
  };
}
