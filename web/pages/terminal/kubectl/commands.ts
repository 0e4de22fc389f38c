import type { Command, CommandContext } from './command.ts';
import { apiResourcesCommand } from './commands/api-resources.ts';
import { applyCommand, createCommand } from './commands/apply.ts';
import { authCommand } from './commands/auth.ts';
import { configCommand } from './commands/config.ts';
import { deleteCommand } from './commands/delete.ts';
import { describeCommand } from './commands/describe.ts';
import { execCommand } from './commands/exec.ts';
import { explainCommand } from './commands/explain.ts';
import { getCommand } from './commands/get.ts';
import { logsCommand } from './commands/logs.ts';
import { versionCommand } from './commands/version.ts';
import { KubectlError, ownKubectl } from './kubectl-error.ts';
import { type Flag, parseArguments } from './syntax/flags.ts';
import { splitWords } from './syntax/split-words.ts';

const helpCommand: Command = {
  name: 'help',
  usage: '[COMMAND]',
  about: 'show the commands, or the flags of a command',
  positional: 'none',
  flags: [],
  async run(args, { print }) {
    const [name] = args.words;
    print(name === undefined ? overview() : commandHelp(findCommand(name)));
  },
};

export const commands: readonly Command[] = [
  getCommand,
  describeCommand,
  applyCommand,
  createCommand,
  deleteCommand,
  logsCommand,
  execCommand,
  apiResourcesCommand,
  explainCommand,
  authCommand,
  configCommand,
  versionCommand,
  helpCommand,
];

/** Runs a command line, with or without the word `kubectl`. Throws an error if the command fails. */
export async function runCommandLine(line: string, context: CommandContext): Promise<void> {
  const words = commandWords(splitWords(line).map(({ text }) => text));
  const [name, ...rest] = words;
  if (name === undefined) return;
  const command = findCommand(name.replace(/^(?:--help|-h)$/, 'help'));
  const end = rest.indexOf('--');
  const asksHelp = (end < 0 ? rest : rest.slice(0, end)).some((word) => word === '--help' || word === '-h');
  if (asksHelp) context.print(commandHelp(command));
  else {
    command.checkForm?.(rest);
    await command.run(parseArguments(rest, command.flags), context);
  }
}

/** Returns the words after `kubectl`. */
export function commandWords<T extends string>(words: readonly T[]): readonly T[] {
  return words[0] === 'kubectl' || words[0] === 'k' ? words.slice(1) : words;
}

function findCommand(name: string): Command {
  const found = commands.find((command) => command.name === name);
  if (found !== undefined) return found;
  const names = commands.map((command) => command.name).join(', ');
  throw new KubectlError(`"${name}" does not work in the browser. Use one of ${names}, or ${ownKubectl}`);
}

function overview(): string {
  const width = Math.max(...commands.map(({ name }) => name.length)) + 3;
  return [
    'Commands, each with the syntax of kubectl:',
    ...commands.map(({ name, about }) => `  ${name.padEnd(width)}${about}`),
    '',
    '"help COMMAND" shows the flags of a command. There is no shell: pipes, files and variables do not exist here.',
  ].join('\n');
}

function commandHelp({ name, usage, about, flags }: Command): string {
  const forms = flags.map((flag) => [flagForm(flag), flagAbout(flag)] as const);
  const width = Math.max(0, ...forms.map(([form]) => form.length)) + 3;
  return [
    `kubectl ${name} ${usage}`.trimEnd(),
    `  ${about}`,
    ...(forms.length === 0 ? [] : ['', 'Flags:']),
    ...forms.map(([form, text]) => `  ${form.padEnd(width)}${text}`),
  ].join('\n');
}

function flagForm({ name, short, type }: Flag): string {
  return `${short === undefined ? '    ' : `-${short}, `}--${name}${type === 'switch' ? '' : ' VALUE'}`;
}

function flagAbout({ about, values }: Flag): string {
  return values === undefined ? about : `${about} (${values.join(', ')})`;
}
