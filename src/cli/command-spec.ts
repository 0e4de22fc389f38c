import type { CommandCall } from './command-call.ts';

/** The source of completions for a value: names on the server, saved logins, files or fixed words. */
export type Candidates =
  | 'virtual-cluster'
  | 'project'
  | 'template'
  | 'cluster'
  | 'user'
  | 'team'
  | 'access-key'
  | 'context'
  | 'file'
  | readonly string[];

export interface ArgumentSpec {
  /** The form in the usage line: `<name>`, `[name]`, `[command...]`. */
  readonly name: string;
  readonly description: string;
  readonly candidates?: Candidates;
}

export interface OptionSpec {
  /** For example `-o, --output <format>`; without `<…>` it is a switch. */
  readonly flags: string;
  readonly description: string;
  /** Can be repeated. */
  readonly many?: true;
  readonly required?: true;
  readonly candidates?: Candidates;
}

export interface Example {
  readonly command: string;
  readonly does: string;
}

/**
 * A command as data. The command line, its help, shell completion and docs/reference/cli.md are generated from it. The
 * implementation is loaded when the command runs, so that a call loads only what its command needs.
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

/** Returns the exit code; `undefined` means 0. Throws on failure. */
export type CommandRun = (call: CommandCall) => Promise<number | undefined>;

/** A group of commands, for example `access-key`. */
export interface GroupSpec {
  readonly path: string;
  readonly summary: string;
}
