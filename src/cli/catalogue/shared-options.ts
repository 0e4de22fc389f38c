import type { OptionSpec } from '../command-spec.ts';
import { outputFormats } from '../output/output-format.ts';

/** Options that many commands have, so that they are called the same everywhere. */
export const contextOption: OptionSpec = {
  flags: '--context <name>',
  description: 'the login to use (default: FLOTILLA_CONTEXT, else the current one)',
  candidates: 'context',
};

export const projectOption: OptionSpec = {
  flags: '-p, --project <name>',
  description: 'the project (default: FLOTILLA_PROJECT, else that of the login, else default)',
  candidates: 'project',
};

export const outputOption: OptionSpec = {
  flags: '-o, --output <form>',
  description: 'json, yaml, name, wide or jsonpath=<template>',
  candidates: outputFormats,
};

export const watchOption: OptionSpec = {
  flags: '-w, --watch',
  description: 'go on and show what changes, until Ctrl-C',
};

export const waitOption: OptionSpec = { flags: '--wait', description: 'come back when it is done' };

export const timeoutOption: OptionSpec = {
  flags: '--timeout <time>',
  description: 'how long to wait at most, as 45s or 10m (default 5m)',
};

export const dryRunOption: OptionSpec = {
  flags: '--dry-run',
  description: 'have the server check everything, and make nothing',
};

export const setOption: OptionSpec = {
  flags: '--set <name=value>',
  description: 'value of a parameter of the template; may be given several times',
  many: true,
};

export const valuesOption: OptionSpec = {
  flags: '-f, --values <file>',
  description: 'YAML file with values of parameters, - for standard input; may be given several times',
  many: true,
  candidates: 'file',
};

export const patchOption: OptionSpec = {
  flags: '--patch <json>',
  description: 'a merge patch, in JSON or YAML, in place of the editor',
};

export const selectorOption: OptionSpec = {
  flags: '-l, --selector <labels>',
  description: 'only those with these labels, as app=web',
};

export const dataDirOption: OptionSpec = {
  flags: '--data-dir <directory>',
  description: 'the data directory of the server',
  candidates: 'file',
};

export const displayNameOption: OptionSpec = { flags: '--display-name <text>', description: 'name to show to people' };
export const descriptionOption: OptionSpec = { flags: '--description <text>', description: 'what it is for' };

export const secretFileOption: OptionSpec = {
  flags: '--file <file>',
  description: 'write the value to a file that only you can read, in place of printing it',
  candidates: 'file',
};
