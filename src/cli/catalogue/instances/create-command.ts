import type { CommandSpec, Example, OptionSpec } from '../../command-spec.ts';
import { commandPath, type InstanceKind, spaces } from '../../kinds.ts';
import {
  descriptionOption,
  displayNameOption,
  dryRunOption,
  outputOption,
  setOption,
  timeoutOption,
  valuesOption,
  waitOption,
} from '../shared-options.ts';
import { execOption, kubeContextOption, locationOptions, ownerOptions } from './instance-options.ts';

/** Returns the command that creates an instance of this kind. `more` are additional options. */
export function createCommandSpec(kind: InstanceKind, more: readonly OptionSpec[] = []): CommandSpec {
  return {
    path: commandPath(kind, 'create'),
    summary: `Create a ${kind.noun}`,
    details:
      'With --wait the command reports each condition when it becomes true, the time that it took, and what blocks ' +
      'the next one.',
    args: [{ name: '<name>', description: `Name of the ${kind.noun}` }],
    options: [
      ...locationOptions,
      ...specOptions(kind),
      ...more,
      { ...waitOption, description: `Wait until the ${kind.noun} is ready` },
      {
        flags: '--connect',
        description: `Wait until the ${kind.noun} is ready, then make it the current context of your kubeconfig`,
      },
      execOption,
      kubeContextOption(kind),
      {
        flags: '--recreate',
        description: `First delete an existing ${kind.noun} with this name, and wait until it is deleted`,
      },
      timeoutOption,
      dryRunOption,
      outputOption,
    ],
    examples: examplesFor(kind),
    load: async () => ({ run: (await import('../../commands/instances/create.ts')).createCommand(kind) }),
  };
}

/** Returns the options that set fields of the object. */
function specOptions(kind: InstanceKind): readonly OptionSpec[] {
  const { noun } = kind;
  const isSpace = kind === spaces;
  return [
    {
      flags: '-t, --template <name[@version]>',
      description: 'Template, with an optional version that is exact (1.2.0) or has wildcards (1.x.x)',
      candidates: isSpace ? 'space-template' : 'template',
    },
    setOption,
    valuesOption,
    {
      flags: '--cluster <name>',
      description: isSpace
        ? 'Cluster to create the namespace on (default: the allowed cluster with the fewest instances)'
        : 'Cluster to run the virtual cluster on (default: the allowed cluster with the fewest instances)',
      candidates: 'cluster',
    },
    ...ownerOptions(kind),
    displayNameOption,
    descriptionOption,
    { flags: '--label <name=value>', description: `Label to set on the ${noun}; can be repeated`, many: true },
    {
      flags: '--annotation <name=value>',
      description: `Annotation to set on the ${noun}; can be repeated`,
      many: true,
    },
  ];
}

function examplesFor(kind: InstanceKind): readonly Example[] {
  const command = `flotilla ${commandPath(kind, 'create')}`;
  return [
    { command: `${command} demo --connect`, does: `Create a ${kind.noun} and connect kubectl to it` },
    {
      command: `${command} review --project payments --template small@1.x.x --set env=test --wait`,
      does: `Create a ${kind.noun} from a template with a parameter`,
    },
    {
      command: `${command} demo --recreate --wait --timeout 2m`,
      does: `Replace an existing ${kind.noun} with a new, empty one`,
    },
  ];
}
