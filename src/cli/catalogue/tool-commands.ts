import type { CommandSpec } from '../command-spec.ts';
import { shells } from '../completion/shell-scripts.ts';
import { contextOption, dryRunOption, outputOption, projectOption } from './shared-options.ts';

export const toolCommands: readonly CommandSpec[] = [
  {
    path: 'apply',
    summary: 'Create or update objects from files with server-side apply',
    args: [],
    options: [
      {
        flags: '-f, --filename <file>',
        description: 'File, directory, or - for standard input; can be repeated',
        many: true,
        required: true,
        candidates: 'file',
      },
      { ...projectOption, description: `${projectOption.description}; objects with a namespace keep it` },
      contextOption,
      { flags: '--force-conflicts', description: 'Take ownership of fields that other managers applied' },
      dryRunOption,
      outputOption,
    ],
    examples: [
      {
        command: 'flotilla apply -f virtual-cluster.yaml',
        does: 'Create the object, or update the fields that the file contains',
      },
      { command: 'flotilla apply -f manifests/ --dry-run', does: 'Show what would change' },
    ],
    load: () => import('../commands/objects/apply.ts'),
  },
  {
    path: 'audit',
    summary: 'Search the audit log, newest entries first (administrators and auditors)',
    details:
      'The search includes rotated log files and the logs of all replicas. It returns the entries that match all given options, and warns if the log of a replica cannot be searched.',
    options: [
      contextOption,
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
      { flags: '--text <text>', description: 'Show only entries that contain this text, ignoring case' },
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
      { flags: '--dry-runs', description: 'Also show dry runs, which change nothing' },
      { flags: '--all-stages', description: 'Also show the entries that are logged before a write is executed' },
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
    load: () => import('../commands/operate/audit.ts'),
  },
  {
    path: 'completion',
    summary: 'Print the completion script for a shell',
    args: [{ name: '<shell>', description: `Shell: ${shells.join(', ')}`, candidates: shells }],
    examples: [
      {
        command: 'source <(flotilla completion bash)',
        does: 'Load completion into this bash; add the line to ~/.bashrc to keep it',
      },
      {
        command: 'flotilla completion zsh > ~/.zsh/completions/_flotilla',
        does: 'Install completion for zsh in a directory of its fpath',
      },
      {
        command: 'flotilla completion fish > ~/.config/fish/completions/flotilla.fish',
        does: 'Install completion for fish',
      },
    ],
    load: () => import('../commands/completion.ts'),
  },
  {
    path: 'status',
    summary: 'Show the servers of the installation',
    details:
      "Only administrators and auditors can use it. LAG is the age of a server's caches when it last reported to the " +
      'store; it is normally below 1s. A server that is cut off from the store disappears from the list after a few ' +
      'seconds. CLOCK is how far the clock of a server is ahead of the clock of the server that answers (negative: ' +
      'behind). SETTINGS is "different" if limits, permissions or the API prefix differ from those of the server ' +
      'that answers. SCHEMAS are the versions of the stored format that a server supports.',
    options: [outputOption],
    examples: [{ command: 'flotilla status', does: 'List the servers, their versions, and which one is the leader' }],
    load: () => import('../commands/operate/status.ts'),
  },
  {
    path: 'version',
    summary: 'Print the version',
    examples: [{ command: 'flotilla version', does: 'Print the version; flotilla --version prints the number only' }],
    load: () => import('../commands/version.ts'),
  },
];
