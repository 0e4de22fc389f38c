import { Argument, Command, Option } from 'commander';
import { programVersion } from '../lib/program-version.ts';
import { outputOption, projectOption, sharedByAll } from './catalogue/shared-options.ts';
import { exitCodeMeanings, exitCodes, usageError } from './cli-error.ts';
import type { CallValues, OptionValue } from './command-call.ts';
import { callValues } from './command-call.ts';
import type { CommandSpec, GroupSpec, OptionSpec } from './command-spec.ts';
import { environmentMeanings } from './environment-meanings.ts';

export interface CatalogueSection {
  readonly title: string;
  readonly commands: readonly CommandSpec[];
  readonly groups: readonly GroupSpec[];
}

export interface Catalogue {
  readonly sections: readonly CatalogueSection[];
  /** All commands of the command line, in one list. */
  readonly commands: readonly CommandSpec[];
  readonly groups: readonly GroupSpec[];
}

/**
 * Returns the catalogue with only the commands whose path begins with `word`, or the whole catalogue if there are none.
 * This saves time, because building every command takes longer than most commands run.
 */
export function catalogueForWord(catalogue: Catalogue, word: string | undefined): Catalogue {
  const matches = ({ path }: { readonly path: string }) => path === word || path.startsWith(`${word} `);
  const commands = catalogue.commands.filter(matches);
  if (commands.length === 0) return catalogue;
  const sections = catalogue.sections.map((section) => ({
    ...section,
    commands: section.commands.filter(matches),
    groups: section.groups.filter(matches),
  }));
  return { sections, commands, groups: catalogue.groups.filter(matches) };
}

export type Invoke = (spec: CommandSpec, values: CallValues) => Promise<void>;

/** Builds the command line parser for the commands of the catalogue. */
export function buildProgram({ sections }: Catalogue, invoke: Invoke): Command {
  const program = new Command('flotilla')
    .description('Create and manage virtual Kubernetes clusters')
    .version(programVersion, '--version', 'Print the version')
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(`flotilla: ${oneLine(text.replace(/^error: /, ''))}\n`) })
    .helpCommand('help [command...]', 'Show help for a command')
    .addHelpText('after', () => `\n${rootNotes()}\nRun "flotilla <command> --help" for its options and examples.`);
  program.helpOption('-h, --help', 'Show this help').enablePositionalOptions();
  for (const option of [projectOption, outputOption, ...sharedByAll]) program.addOption(commanderOption(option));
  const parents = new Map<string, Command>([['', program]]);
  for (const { title, commands, groups } of sections) {
    for (const { path, summary } of groups) {
      parents.set(path, addSubcommand(program, path).description(summary).helpGroup(`${title}:`));
    }
    for (const spec of commands) {
      const words = spec.path.split(' ');
      const parent = parents.get(words.slice(0, -1).join(' ')) ?? program;
      const command = addCommand(parent, words.at(-1) ?? '', spec, invoke);
      if (parent === program) command.helpGroup(`${title}:`);
      parents.set(spec.path, command);
    }
  }
  return program;
}

/** Returns the help text about environment variables and exit codes, which apply to all commands. */
function rootNotes(): string {
  const section = (title: string, rows: readonly (readonly [string, string])[]) => {
    const longest = Math.max(...rows.map(([name]) => name.length));
    return `${title}:\n${rows.map(([name, meaning]) => `  ${name.padEnd(longest)}  ${meaning.replaceAll('`', '')}\n`).join('')}`;
  };
  const codes = Object.entries(exitCodes).map(
    ([name, code]) => [String(code), exitCodeMeanings[name as keyof typeof exitCodes]] as const,
  );
  return `${section('Environment', Object.entries(environmentMeanings))}\n${section('Exit codes', codes)}`;
}

function addSubcommand(parent: Command, name: string): Command {
  return parent.command(name).helpCommand(false).helpOption('-h, --help', 'Show this help');
}

function addCommand(parent: Command, name: string, spec: CommandSpec, invoke: Invoke): Command {
  const command = addSubcommand(parent, name)
    .summary(spec.summary)
    .description(spec.details === undefined ? sentence(spec.summary) : `${sentence(spec.summary)} ${spec.details}`)
    .allowExcessArguments(false)
    // Treat an option after the name of a subcommand as an option of the subcommand, even if the parent command has an
    // option with this name.
    .enablePositionalOptions();
  if (spec.aliases !== undefined) command.aliases([...spec.aliases]);
  for (const argument of spec.args ?? []) command.addArgument(new Argument(argument.name, argument.description));
  for (const option of [...(spec.options ?? []), ...sharedByAll]) command.addOption(commanderOption(option));
  command.addHelpText(
    'after',
    `\nExamples:\n${spec.examples.map((one) => `  ${one.command}\n      ${one.does}`).join('\n')}`,
  );
  command.action(async () => {
    const args = new Map(
      command.registeredArguments.map((argument, at) => [argument.name(), command.processedArgs[at]] as const),
    );
    const preceding: Record<string, OptionValue> = rootOf(command).opts();
    for (const name of Object.keys(preceding)) {
      if (command.options.some((option) => option.attributeName() === name)) continue;
      throw usageError(`flotilla ${spec.path} has no option --${name}`);
    }
    const given: Record<string, OptionValue> = { ...preceding, ...command.opts() };
    const options = new Map(command.options.map((one) => [longName(one), optionValue(one, given)] as const));
    await invoke(spec, callValues(args, options));
  });
  return command;
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}

function commanderOption({ flags, description, many, required, hidden }: OptionSpec): Option {
  const option = new Option(flags, description);
  if (required === true) option.makeOptionMandatory();
  if (hidden === true) option.hideHelp();
  if (many === true) {
    option.argParser((value: string, earlier: readonly string[] | undefined) => [...(earlier ?? []), value]);
  }
  return option;
}

/** Returns the value of an option. commander stores `--no-browser` as `browser: false`. */
function optionValue(option: Option, given: Readonly<Record<string, OptionValue>>): OptionValue {
  const value = given[option.attributeName()];
  return option.negate ? value === false : value;
}

function longName(option: Option): string {
  return (option.long ?? option.flags).replace(/^--/, '');
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
