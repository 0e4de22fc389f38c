import type { CommandCall } from './command-call.ts';

/** Where completion finds what a value can be: names on the server, logins, files, or words that are known. */
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
  /** As usage shows it: `<name>`, `[name]`, `[command...]`. */
  readonly name: string;
  readonly description: string;
  readonly candidates?: Candidates;
}

export interface OptionSpec {
  /** `-o, --output <format>`; without `<…>` it is a switch. */
  readonly flags: string;
  readonly description: string;
  /** May be given several times. */
  readonly many?: true;
  readonly required?: true;
  readonly candidates?: Candidates;
}

export interface Example {
  readonly command: string;
  readonly does: string;
}

/**
 * A command as data: the command line, its help, the completion and docs/reference/cli.md are all made from it. The code
 * is loaded when the command runs, so that a start costs what that command needs and no more.
 */
export interface CommandSpec {
  /** The words after `flotilla`: `access-key create`. */
  readonly path: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** What the help says besides, in whole sentences. */
  readonly details?: string;
  readonly args?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  readonly examples: readonly Example[];
  readonly load: () => Promise<{ readonly run: CommandRun }>;
}

/** Gives the exit code; nothing is 0. A fault is thrown. */
export type CommandRun = (call: CommandCall) => Promise<number | undefined>;

/** What a group of commands (`access-key`) is about. */
export interface GroupSpec {
  readonly path: string;
  readonly summary: string;
}
