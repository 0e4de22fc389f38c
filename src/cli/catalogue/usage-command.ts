import { usagePeriods } from '../../api/usage/usage-periods.ts';
import type { CommandSpec } from '../command-spec.ts';
import { contextOption } from './shared-options.ts';

/** The command that shows usage and costs. */
export const usageCommand: CommandSpec = {
  path: 'usage',
  summary: 'Show the usage and the costs of a virtual cluster, project, cluster or of everything',
  details:
    'NAME selects a virtual cluster in the project. --project without NAME selects the project. Without NAME, --project, ' +
    '--space and --cluster, the command shows the usage of the whole installation (only for administrators and auditors). ' +
    'Amounts that were not measured are shown without a value. An administrator sets the prices in the price list.',
  args: [{ name: '[name]', description: 'Name of the virtual cluster', candidates: 'virtual-cluster' }],
  options: [
    {
      flags: '-p, --project <name>',
      description: 'Project of the virtual cluster or space; without a name, the project whose usage is shown',
      candidates: 'project',
    },
    { flags: '--space <name>', description: 'Show the usage of this space', candidates: 'space' },
    { flags: '--cluster <name>', description: 'Show the usage of this cluster', candidates: 'cluster' },
    {
      flags: '--period <period>',
      description: 'Period until now: 24h or 14d (default: 24h)',
      candidates: [...usagePeriods],
    },
    contextOption,
    {
      flags: '-o, --output <format>',
      description: 'Output format: json, yaml, csv or jsonpath=<template>; json, yaml and csv include all samples',
      candidates: ['json', 'yaml', 'csv', 'jsonpath='],
    },
  ],
  examples: [
    { command: 'flotilla usage demo', does: 'Show the usage of a virtual cluster in the last 24 hours' },
    {
      command: 'flotilla usage --project payments --period 14d -o csv',
      does: 'Print the usage of a project in the last 14 days as CSV, with one row per hour',
    },
  ],
  load: () => import('../commands/usage.ts'),
};
