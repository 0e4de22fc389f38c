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
