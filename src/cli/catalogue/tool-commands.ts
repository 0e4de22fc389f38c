import type { CommandSpec } from '../command-spec.ts';
import { shells } from '../completion/shell-scripts.ts';
import { contextOption, dryRunOption, outputOption, projectOption } from './shared-options.ts';

export const toolCommands: readonly CommandSpec[] = [
  {
    path: 'apply',
    summary: 'make objects what files say, and leave alone what they do not say',
    args: [],
    options: [
      {
        flags: '-f, --filename <file>',
        description: 'a file, a folder of them, or - for standard input; may be given several times',
        many: true,
        required: true,
        candidates: 'file',
      },
      { ...projectOption, description: `${projectOption.description}; what names a namespace goes there` },
      contextOption,
      { flags: '--force-conflicts', description: 'take over fields that others applied' },
      dryRunOption,
      outputOption,
    ],
    examples: [
      { command: 'flotilla apply -f virtual-cluster.yaml', does: 'created, changed or unchanged' },
      { command: 'flotilla apply -f manifests/ --dry-run', does: 'what would happen' },
    ],
    load: () => import('../commands/apply.ts'),
  },
  {
    path: 'audit',
    summary: 'show who did what, newest first; for admins',
    details:
      'The server searches its audit log, with the files that were set aside. Everything that is given has to match.',
    options: [
      contextOption,
      { flags: '--user <name>', description: 'who asked, or whom they acted as', candidates: 'user' },
      { flags: '--access-key <name>', description: 'the name of the key that it was done with' },
      { flags: '--verb <verb>', description: 'create, update, patch, delete, get …' },
      { flags: '--resource <plural>', description: 'of what: projects, virtualclusterinstances/kubeconfig …' },
      { flags: '-p, --project <name>', description: 'in which project', candidates: 'project' },
      { flags: '--name <name>', description: 'of which object' },
      { flags: '--code <code>', description: 'how it was answered: 403, or 4xx' },
      { flags: '--denied', description: 'only what was refused for want of a right' },
      { flags: '--text <text>', description: 'stands somewhere in the line, in large letters or small' },
      { flags: '--since <time>', description: 'not before: 2h, 7d, or 2026-11-15T08:00:00Z' },
      { flags: '--until <time>', description: 'not after, in the same forms' },
      { flags: '--limit <count>', description: 'so many lines at most (default 50)' },
      { flags: '--all-stages', description: 'also the line that a write leaves before it is carried out' },
      outputOption,
    ],
    examples: [
      { command: 'flotilla audit --denied --since 24h', does: 'what was refused since yesterday, and why' },
      { command: 'flotilla audit --access-key ci -o json', does: 'what a pipeline did, as it stands in the log' },
    ],
    load: () => import('../commands/audit.ts'),
  },
  {
    path: 'completion',
    summary: 'print what makes a shell complete commands, options and names',
    args: [{ name: '<shell>', description: shells.join(', '), candidates: shells }],
    examples: [
      { command: 'source <(flotilla completion bash)', does: 'for this bash; in ~/.bashrc for every one' },
      { command: 'flotilla completion zsh > ~/.zsh/completions/_flotilla', does: 'for zsh, in a folder of its fpath' },
      { command: 'flotilla completion fish > ~/.config/fish/completions/flotilla.fish', does: 'for fish' },
    ],
    load: () => import('../commands/completion.ts'),
  },
  {
    path: 'version',
    summary: 'print the version of this program',
    examples: [{ command: 'flotilla version', does: 'flotilla --version prints the number alone' }],
    load: () => import('../commands/version.ts'),
  },
];
