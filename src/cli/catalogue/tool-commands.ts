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
      {
        command: 'flotilla completion powershell >> $PROFILE',
        does: 'Install completion for PowerShell',
      },
    ],
    load: () => import('../commands/completion.ts'),
  },
  {
    path: 'status',
    summary: 'Show the servers of the installation, and virtual clusters that have stalled them',
    details:
      "Only administrators and auditors can use it. LAG is the age of a server's caches when it last reported to the " +
      'store; it is normally below 1s. A server that is cut off from the store disappears from the list after a few ' +
      'seconds. CLOCK is how far the clock of a server is ahead of the clock of the server that answers (negative: ' +
      'behind). SETTINGS is "different" if limits, permissions or the API prefix differ from those of the server ' +
      'that answers. SCHEMAS are the versions of the stored format that a server supports. ' +
      'After the servers, the command lists the virtual clusters in quarantine, and the worker threads of the ' +
      'built-in cluster that were replaced in the last hour because they did not respond or failed. If notifications ' +
      'cannot be sent by mail, the last lines say why.',
    options: [outputOption],
    examples: [{ command: 'flotilla status', does: 'List the servers, their versions, and which one is the leader' }],
    load: () => import('../commands/operate/status.ts'),
  },
  {
    path: 'version',
    summary: 'Print the versions of this program, of the server and of the agents',
    details:
      'The server is that of the current login. If there is no login, or if the server cannot be reached, a note on ' +
      'standard error gives the reason, and the exit code is 0. The agents are those of the clusters that you may read.',
    options: [
      { flags: '--client', description: 'Print the version of this program only, without a request' },
      contextOption,
      outputOption,
    ],
    examples: [
      { command: 'flotilla version', does: 'Print all versions' },
      {
        command: 'flotilla version --client',
        does: 'Print the version of this program; --version prints the number only',
      },
      { command: 'flotilla version -o json', does: 'Print both versions for a script' },
    ],
    load: () => import('../commands/version.ts'),
  },
];
