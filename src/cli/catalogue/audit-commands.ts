import type { CommandSpec, OptionSpec } from '../command-spec.ts';
import { contextOption, outputOption, projectOption } from './shared-options.ts';

/** The options that select entries of the audit log. */
const filterOptions: readonly OptionSpec[] = [
  {
    flags: '--user <name>',
    description: 'Show only requests that this user sent or that impersonated this user',
    candidates: 'user',
  },
  { flags: '--access-key <name>', description: 'Show only requests with this access key, given by its name' },
  { flags: '--verb <verb>', description: 'Show only requests with this verb, for example create or delete' },
  {
    flags: '--resource <plural>',
    description: 'Show only requests for this resource, for example projects or virtualclusterinstances/kubeconfig',
  },
  {
    flags: '-p, --project <name>',
    description: 'Show only requests for objects in this project',
    candidates: 'project',
  },
  { flags: '--name <name>', description: 'Show only requests for the object with this name' },
  { flags: '--code <code>', description: 'Show only requests with this response code, for example 403 or 4xx' },
  { flags: '--denied', description: 'Show only requests without a valid credential (401) or permission (403)' },
  { flags: '--text <text>', description: 'Show only entries that contain all words of this text, ignoring case' },
  { flags: '--dry-runs', description: 'Also show dry runs, which change nothing' },
  { flags: '--all-stages', description: 'Also show the entries that are logged before a write is executed' },
];

export const auditCommands: readonly CommandSpec[] = [
  {
    path: 'activity',
    summary: 'Show who created, changed, shared or deleted what, and what slept, woke or failed',
    details:
      'Shows the records of the objects that you may read, newest first. They are kept for 30 days. Administrators and auditors find the complete requests with flotilla audit.',
    args: [{ name: '[name]', description: 'Name of an object in the project (default: all objects)' }],
    options: [
      projectOption,
      { flags: '-A, --all-projects', description: 'Show the activity of all projects that you can see' },
      contextOption,
      { flags: '--limit <count>', description: 'Maximum number of records to show, at most 500 (default: 50)' },
      outputOption,
    ],
    examples: [
      { command: 'flotilla activity demo', does: 'Show what happened to a virtual cluster' },
      { command: 'flotilla activity --project payments -o json', does: 'Print the activity of a project as JSON' },
    ],
    load: () => import('../commands/audit/activity.ts'),
  },
  {
    path: 'audit',
    summary: 'Search the audit log, newest entries first (administrators and auditors)',
    details:
      'The search includes rotated log files and the logs of all replicas. It returns the entries that match all given options, and warns if the log of a replica cannot be searched.',
    options: [
      contextOption,
      ...filterOptions,
      {
        flags: '--since <time>',
        description:
          'Show only entries since this time: a duration before now (2h, 7d) or a time (2026-11-15T08:00:00Z)',
      },
      {
        flags: '--until <time>',
        description:
          'Show only entries until this time: a duration before now (2h, 7d) or a time (2026-11-15T08:00:00Z)',
      },
      { flags: '--limit <count>', description: 'Maximum number of entries to show (default: 50)' },
      outputOption,
    ],
    examples: [
      {
        command: 'flotilla audit --denied --since 24h',
        does: 'Show the denied requests of the last day, and the reasons',
      },
      {
        command: 'flotilla audit --access-key ci -o json',
        does: 'Print the requests of a pipeline as they are logged',
      },
    ],
    load: () => import('../commands/audit/audit.ts'),
  },
  {
    path: 'audit export',
    summary: 'Print all entries of a time range as JSON lines or CSV, newest first (administrators and auditors)',
    details:
      'The export includes rotated log files and the logs of all replicas. It fails if the log of a replica cannot be ' +
      'read. The JSON lines are those of the log, with their hashes. In CSV, an apostrophe comes before texts that a ' +
      'spreadsheet would execute as a formula.',
    options: [
      contextOption,
      {
        flags: '--from <time>',
        description: 'Export only entries since this time: a duration before now (7d), a day (2026-11-01) or a time',
      },
      {
        flags: '--to <time>',
        description: 'Export only entries until this time: a duration before now (1h), a day (2026-11-01) or a time',
      },
      { flags: '--format <format>', description: 'jsonl or csv (default: jsonl)', candidates: ['jsonl', 'csv'] },
      ...filterOptions,
      { flags: '--allow-incomplete', description: 'Export the other logs if the log of a replica cannot be read' },
    ],
    examples: [
      {
        command: 'flotilla audit export --from 2026-11-01 --to 2026-12-01 --format csv > november.csv',
        does: 'Export a month for a spreadsheet',
      },
    ],
    load: () => import('../commands/audit/audit-export.ts'),
  },
  {
    path: 'audit verify',
    summary: 'Check that no line of the audit log was changed, removed or moved',
    details:
      'Each line of the audit log contains a hash of all lines before it, and the server signs the newest hash every ' +
      'minute. Without --file, the servers verify the logs of all replicas (administrators and auditors). With --file, ' +
      'the command verifies files on this machine and needs no server. The exit code is 1 if a problem was found.',
    options: [
      contextOption,
      {
        flags: '--file <path>',
        description: 'Data directory of a server, or path of its audit.log; older files beside it are included',
        candidates: 'file',
      },
      {
        flags: '--public-key <file>',
        description: 'Public key of the audit log in PEM format, to check signatures (with --file)',
        candidates: 'file',
      },
      {
        flags: '--checkpoints <file>',
        description:
          'Output of flotilla audit checkpoints, to find lines that were removed at the end; contains the public key ' +
          '(with --file)',
        candidates: 'file',
      },
      {
        flags: '--replica <id>',
        description: 'Replica that wrote the log, if --checkpoints contains several (with --file)',
      },
      outputOption,
    ],
    examples: [
      { command: 'flotilla audit verify', does: 'Verify the logs of all servers' },
      {
        command: 'flotilla audit verify --file /backup/audit.log --checkpoints checkpoints.json',
        does: 'Verify a copy of a log without a server',
      },
    ],
    load: () => import('../commands/audit/audit-verify.ts'),
  },
  {
    path: 'audit checkpoints',
    summary: 'Print the newest signature of each audit log, and the public key, as JSON',
    details:
      'Save the output on another machine than the server. With it, flotilla audit verify --file finds lines that were ' +
      'removed at the end of a log.',
    options: [contextOption],
    examples: [
      {
        command: 'flotilla audit checkpoints > checkpoints.json',
        does: 'Save the signatures, for example once a day',
      },
    ],
    load: () => import('../commands/audit/audit-checkpoints.ts'),
  },
];
