import type { OptionSpec } from '../command-spec.ts';
import { outputFormats } from '../output/output-format.ts';

/** The options below are shared, so that they have the same name and description in every command. */
export const contextOption: OptionSpec = {
  flags: '--context <name>',
  description: 'Login to use (default: FLOTILLA_CONTEXT, or the current login)',
  candidates: 'context',
};

export const projectOption: OptionSpec = {
  flags: '-p, --project <name>',
  description: 'Project (default: FLOTILLA_PROJECT, the project of the login, or default)',
  candidates: 'project',
};

export const outputOption: OptionSpec = {
  flags: '-o, --output <format>',
  description: 'Output format: json, yaml, name, wide or jsonpath=<template>',
  candidates: outputFormats,
};

export const watchOption: OptionSpec = {
  flags: '-w, --watch',
  description: 'Watch for changes until you press Ctrl-C',
};

export const waitOption: OptionSpec = { flags: '--wait', description: 'Wait until the operation is done' };

export const timeoutOption: OptionSpec = {
  flags: '--timeout <duration>',
  description: 'Maximum time to wait, for example 45s or 10m (default: 5m)',
};

export const dryRunOption: OptionSpec = {
  flags: '--dry-run',
  description: 'Validate the request on the server without making changes',
};

export const setOption: OptionSpec = {
  flags: '--set <name=value>',
  description: 'Value of a template parameter; can be repeated',
  many: true,
};

export const valuesOption: OptionSpec = {
  flags: '-f, --values <file>',
  description: 'YAML file with parameter values, or - for standard input; can be repeated',
  many: true,
  candidates: 'file',
};

export const patchOption: OptionSpec = {
  flags: '--patch <json>',
  description: 'Merge patch in JSON or YAML, instead of the editor',
};

export const selectorOption: OptionSpec = {
  flags: '-l, --selector <labels>',
  description: 'Filter by labels, for example app=web',
};

export const dataDirOption: OptionSpec = {
  flags: '--data-dir <directory>',
  description: 'Data directory of the server',
  candidates: 'file',
};

export const displayNameOption: OptionSpec = { flags: '--display-name <text>', description: 'Display name' };
export const descriptionOption: OptionSpec = { flags: '--description <text>', description: 'Description' };

export const secretFileOption: OptionSpec = {
  flags: '--file <file>',
  description: 'Write the value to a file that only you can read, instead of printing it',
  candidates: 'file',
};

/** The options that every command has. They can also precede the name of the command. */
export const sharedByAll: readonly OptionSpec[] = [
  { flags: '-v, --verbose', description: 'Also show the response of the server if the command fails' },
];

export const allowMissingOption: OptionSpec = {
  flags: '--allow-missing',
  description: 'Accept names of objects that do not exist yet',
};

export const yesOption: OptionSpec = { flags: '-y, --yes', description: 'Delete without asking at a terminal' };
