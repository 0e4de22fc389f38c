import type { CommandSpec, OptionSpec } from '../command-spec.ts';
import { commandPath, type NamedKind, spaceTemplates, templates } from '../kinds.ts';
import { contextOption, dryRunOption, outputOption, setOption, valuesOption } from './shared-options.ts';
import { standardCommands } from './standard-commands.ts';

const fileOption: OptionSpec = {
  flags: '-f, --filename <file>',
  description: 'File to read, or - for standard input',
  required: true,
  candidates: 'file',
};

function createCommand(kind: NamedKind): CommandSpec {
  const path = commandPath(kind, 'create');
  return {
    path,
    summary: `Create a ${kind.noun} from a file`,
    args: [{ name: '[name]', description: `Name of the ${kind.noun} (default: the name in the file)` }],
    options: [contextOption, fileOption, dryRunOption, outputOption],
    examples: [
      {
        command: `flotilla ${path} --filename template.yaml`,
        does: `Create the ${kind.noun}; change it later with flotilla apply`,
      },
    ],
    load: async () => ({ run: (await import('../commands/objects/template-create.ts')).createTemplateCommand(kind) }),
  };
}

export const templateCommands: readonly CommandSpec[] = [
  createCommand(templates),
  ...standardCommands('template', templates, 'small'),
  {
    path: 'template test',
    summary: 'Render a template from a file, without a server',
    details: 'The file contains a VirtualClusterTemplate or a SpaceTemplate.',
    args: [{ name: '<file>', description: 'Template file, or - for standard input', candidates: 'file' }],
    options: [
      setOption,
      valuesOption,
      { flags: '--template-version <version>', description: 'Version of the template (default: the newest)' },
      { flags: '--name <name>', description: 'Name of the sample instance (default: demo)' },
      { flags: '-p, --project <name>', description: 'Project of the sample instance (default: default)' },
      { flags: '--cluster <name>', description: 'Cluster of the sample instance (default: local)' },
      { flags: '--user <name>', description: 'Owner of the sample instance (default: anna)' },
      { flags: '--server', description: 'Also validate the template on the server, as a dry run' },
      contextOption,
      outputOption,
    ],
    examples: [
      {
        command: 'flotilla template test template.yaml --set env=test',
        does: 'Print the rendered template',
      },
      {
        command: 'flotilla template test template.yaml --server',
        does: 'Also check whether the server accepts the template',
      },
    ],
    load: () => import('../commands/objects/template-test.ts'),
  },
  createCommand(spaceTemplates),
  ...standardCommands('space-template', spaceTemplates, 'small'),
];
