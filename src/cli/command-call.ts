import type { Environment } from './environment.ts';
import type { Terminal } from './output/terminal.ts';

/** One parsed command line, and the resources that the command may use. */
export interface CommandCall {
  readonly values: CallValues;
  readonly terminal: Terminal;
  readonly environment: Environment;
  /**
   * Aborted by the first Ctrl-C or SIGTERM; a second signal ends the process immediately. The signal handlers are
   * installed when this property is first read. Until then signals have their default effect.
   */
  readonly interrupted: AbortSignal;
  /** Stops handling signals: a child process that owns the terminal handles them from now on. */
  releaseSignals(): void;
}

/** The given arguments and options, by their names in the command description. */
export interface CallValues {
  /** A required argument. */
  argument(name: string): string;
  optionalArgument(name: string): string | undefined;
  /** The values of an argument that takes several. */
  argumentList(name: string): readonly string[];
  /** The value of `--<option>`. */
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
