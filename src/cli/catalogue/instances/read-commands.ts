import type { ArgumentSpec, CommandSpec } from '../../command-spec.ts';
import { commandPath, type InstanceKind, kindWord, namedKinds, virtualClusters } from '../../kinds.ts';
import { outputOption, patchOption, selectorOption, watchOption } from '../shared-options.ts';
import { locationOptions, nameArgument, namesArgument } from './instance-options.ts';

const kindArgument: ArgumentSpec = {
  name: '[kind]',
  description: 'Kind to list, for example projects, or any resource of the management API (default: virtual clusters)',
  candidates: [...new Set(namedKinds.map(kindWord))],
};

/** Returns the command that lists the instances of a kind. */
export function listCommandSpec(kind: InstanceKind, details?: string): CommandSpec {
  const path = commandPath(kind, 'list');
  return {
    path,
    aliases: ['ls'],
    summary: `List ${kind.noun}s`,
    ...(details === undefined ? {} : { details }),
    ...(kind === virtualClusters ? { args: [kindArgument] } : {}),
    options: [
      ...locationOptions,
      { flags: '-A, --all-projects', description: `List the ${kind.noun}s of all projects that you can see` },
      selectorOption,
      outputOption,
      watchOption,
    ],
    examples: [
      { command: `flotilla ${path}`, does: `List the ${kind.noun}s of the current project` },
      {
        command: `flotilla ${path} -A -o wide`,
        does: `List all ${kind.noun}s with their location and status message`,
      },
      { command: `flotilla ${path} --watch`, does: `List ${kind.noun}s and watch for changes` },
      ...(kind === virtualClusters
        ? [{ command: `flotilla ${path} projects`, does: 'List the objects of another kind, here projects' }]
        : []),
    ],
    load: async () => ({ run: (await import('../../commands/objects/object-list.ts')).listCommand(kind) }),
  };
}

export function getCommandSpec(kind: InstanceKind): CommandSpec {
  const path = commandPath(kind, 'get');
  return {
    path,
    summary: `Show one or more ${kind.noun}s`,
    args: [namesArgument(kind)],
    options: [...locationOptions, outputOption, watchOption],
    examples: [
      { command: `flotilla ${path} demo`, does: `Show the ${kind.noun} as a row of a table` },
      { command: `flotilla ${path} demo -o jsonpath='{.status.phase}'`, does: 'Print one field, for a script' },
      { command: `flotilla ${path} demo -o yaml`, does: 'Print the whole object as YAML' },
      ...(kind === virtualClusters
        ? [{ command: `flotilla ${path} project/payments`, does: 'Show an object of another kind, here a project' }]
        : []),
    ],
    load: async () => ({ run: (await import('../../commands/objects/object-get.ts')).getCommand(kind) }),
  };
}

export function describeCommandSpec(kind: InstanceKind): CommandSpec {
  const path = commandPath(kind, 'describe');
  return {
    path,
    summary: `Show the details, conditions and events of a ${kind.noun}`,
    args: [nameArgument(kind)],
    options: locationOptions,
    examples: [{ command: `flotilla ${path} demo`, does: `Find out why a ${kind.noun} does not become ready` }],
    load: async () => ({ run: (await import('../../commands/instances/describe.ts')).describeCommand(kind) }),
  };
}

export function editCommandSpec(kind: InstanceKind): CommandSpec {
  const path = commandPath(kind, 'edit');
  return {
    path,
    summary: `Edit a ${kind.noun} in your editor or with a patch`,
    args: [nameArgument(kind)],
    options: [...locationOptions, patchOption],
    examples: [
      { command: `flotilla ${path} demo`, does: 'Open the editor that is set in KUBE_EDITOR, VISUAL or EDITOR' },
      {
        command: `flotilla ${path} demo --patch '{"spec":{"displayName":"Demo"}}'`,
        does: 'Change a field without an editor',
      },
    ],
    load: async () => ({ run: (await import('../../commands/objects/object-edit.ts')).editCommand(kind) }),
  };
}
