import type { CommandCall } from './command-call.ts';

/** The source of shell completions for a value: names on the server, saved logins, files or fixed words. */
export type Candidates =
  | 'virtual-cluster'
  | 'space'
  | 'project'
  | 'template'
  | 'space-template'
  | 'cluster'
  | 'user'
  | 'team'
  | 'access-key'
  | 'context'
  | 'file'
  | readonly string[];

export interface ArgumentSpec {
  /**
   * The argument as the usage line shows it: `<name>` if required, `[name]` if optional, `[command...]` for several.
   */
  readonly name: string;
  readonly description: string;
  readonly candidates?: Candidates;
}

export interface OptionSpec {
  /** The option as the help shows it, for example `-o, --output <format>`. An option without `<…>` is a boolean. */
  readonly flags: string;
  readonly description: string;
  /** True if the option can be repeated. */
  readonly many?: true;
  readonly required?: true;
  /** True for a former name, which is accepted but not documented. */
  readonly hidden?: true;
  readonly candidates?: Candidates;
}

export interface Example {
  readonly command: string;
  readonly does: string;
}

/**
 * The description of a command. The command line parser, the help, shell completion and docs/reference/cli.md are
 * generated from it. `load` imports the implementation only when the command runs, so that other commands start faster.
 */
export interface CommandSpec {
  /** The words after `flotilla`, for example `access-key create`. */
  readonly path: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** Additional help text, in whole sentences. */
  readonly details?: string;
  readonly args?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  readonly examples: readonly Example[];
  readonly load: () => Promise<{ readonly run: CommandRun }>;
}

/** The implementation of a command. Returns the exit code; `undefined` means 0. Throws on failure. */
export type CommandRun = (call: CommandCall) => Promise<number | undefined>;

/** A group of commands, for example `access-key`. */
export interface GroupSpec {
  readonly path: string;
  readonly summary: string;
}
