import type { ExecTarget } from '../../../components/terminal/exec-connection.ts';
import type { ApiRoot } from '../../../data/api-root.ts';
import type { ServedKind } from '../../../data/discovery.ts';
import type { JsonRequest } from '../../../data/send.ts';
import type { Arguments, Flag } from './syntax/flags.ts';

/** Sends requests to the API of the virtual cluster. */
export interface CommandApi {
  json<T>(request: JsonRequest): Promise<T>;
  /** Streams the lines of a response: a watch or a log. */
  lines(request: {
    readonly url: string;
    readonly accept: string;
    readonly signal: AbortSignal;
  }): AsyncIterable<string>;
}

/** A question that the user must confirm. */
export interface Question {
  readonly title: string;
  readonly text: string;
  readonly action: string;
}

/** The data and functions that the page provides for a command. */
export interface CommandContext {
  readonly root: ApiRoot;
  readonly api: CommandApi;
  /** The namespace of commands without `-n`. */
  readonly namespace: string;
  readonly signal: AbortSignal;
  now(): number;
  /** Returns the kinds that the API serves. */
  served(): Promise<readonly ServedKind[]>;
  /** Prints a text of one or more lines. */
  print(text: string): void;
  setNamespace(namespace: string): void;
  /** Asks the user to confirm. Resolves to true if the user confirms. */
  ask(question: Question): Promise<boolean>;
  /** Lets the user write, paste or choose a manifest. Resolves to `undefined` if the user cancels. */
  readManifest(action: string): Promise<string | undefined>;
  /** Opens a terminal with a shell or another command. */
  openTerminal(target: ExecTarget): void;
  /** Runs a command without input and prints its output. Returns its exit code. */
  exec(target: ExecTarget): Promise<number>;
}

/** The type of the positional arguments of a command. Completion uses it. */
export type Positional = 'objects' | 'kind' | 'pod' | 'verb and kind' | 'none';

export interface Command {
  readonly name: string;
  /** The arguments as help shows them, for example `TYPE [NAME…]`. */
  readonly usage: string;
  readonly about: string;
  readonly flags: readonly Flag[];
  readonly positional: Positional;
  /** The subcommands that can follow the command name, for commands such as `auth`. Optional. */
  readonly subcommands?: readonly string[];
  /**
   * Throws an error if the words after the command name request something that this page does not support. The error
   * says what to do instead. Called before the flags are parsed, because an unsupported request may contain unknown
   * flags. Optional.
   */
  checkForm?(words: readonly string[]): void;
  /** Runs the command. Throws an error if the command fails. */
  run(args: Arguments, context: CommandContext): Promise<void>;
}

export const namespaceFlag: Flag = {
  name: 'namespace',
  short: 'n',
  type: 'text',
  about: 'the namespace (default: the namespace of this page)',
};
export const allNamespacesFlag: Flag = {
  name: 'all-namespaces',
  short: 'A',
  type: 'switch',
  about: 'all namespaces',
};
export const selectorFlag: Flag = {
  name: 'selector',
  short: 'l',
  type: 'text',
  about: 'a label selector, such as app=web',
};
export const containerFlag: Flag = {
  name: 'container',
  short: 'c',
  type: 'text',
  about: 'the container (default: the first container of the pod)',
};
export const filenameFlag: Flag = {
  name: 'filename',
  short: 'f',
  type: 'text',
  about: '- opens an editor, in which you can write the manifest or load it from a file',
};

/** Returns the namespace that a command uses; `undefined` if the command uses all namespaces. */
export function chosenNamespace(args: Arguments, context: CommandContext): string | undefined {
  return args.isOn('all-namespaces') ? undefined : (args.text('namespace') ?? context.namespace);
}
