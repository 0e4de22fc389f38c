import type { Candidates, CommandSpec } from '../command-spec.ts';
import { type NamedKind, projects } from '../kinds.ts';
import { contextOption, outputOption, patchOption, selectorOption, watchOption, yesOption } from './shared-options.ts';

/**
 * Returns the list, get, edit and delete commands of a kind. `cluster edit` is defined separately, because it has more
 * options.
 */
export function standardCommands(group: string, kind: NamedKind, sample: string): CommandSpec[] {
  const candidates = group as Candidates;
  const one = { name: '<name>', description: `Name of the ${kind.noun}`, candidates };
  const several = { name: '<name...>', description: `Names of the ${kind.noun}s`, candidates };
  return [
    {
      path: `${group} list`,
      aliases: ['ls'],
      summary: `List ${kind.noun}s`,
      options: [contextOption, selectorOption, outputOption, watchOption],
      examples: [{ command: `flotilla ${group} list`, does: `List the ${kind.noun}s that you can see` }],
      load: async () => ({ run: (await import('../commands/objects/object-list.ts')).listCommand(kind) }),
    },
    {
      path: `${group} get`,
      summary: `Show one or more ${kind.noun}s`,
      args: [several],
      options: [contextOption, outputOption, watchOption],
      examples: [{ command: `flotilla ${group} get ${sample} -o yaml`, does: 'Print the whole object as YAML' }],
      load: async () => ({
        run: (await import('../commands/objects/object-get.ts')).getCommand(
          kind,
          group === 'cluster' ? (await import('../commands/clusters/agent-lines.ts')).agentLines : undefined,
        ),
      }),
    },
    ...(group === 'cluster'
      ? []
      : [
          {
            path: `${group} edit`,
            summary: `Edit a ${kind.noun} in your editor or with a patch`,
            args: [one],
            options: [contextOption, patchOption],
            examples: [
              {
                command: `flotilla ${group} edit ${sample}`,
                does: 'Open the editor that is set in KUBE_EDITOR, VISUAL or EDITOR',
              },
              {
                command: `flotilla ${group} edit ${sample} --patch '{"spec":{"displayName":"Another"}}'`,
                does: 'Change a field without an editor',
              },
            ],
            load: async () => ({ run: (await import('../commands/objects/object-edit.ts')).editCommand(kind) }),
          },
        ]),
    {
      path: `${group} delete`,
      summary: `Delete ${kind.noun}s`,
      args: [several],
      options: [
        contextOption,
        { flags: '--ignore-not-found', description: 'Do not fail if an object does not exist' },
        yesOption,
      ],
      examples: [{ command: `flotilla ${group} delete ${sample}`, does: deleteExample(kind) }],
      load: async () => ({ run: (await import('../commands/objects/object-delete.ts')).deleteCommand(kind) }),
    },
  ];
}

function deleteExample(kind: NamedKind): string {
  return kind === projects ? 'Delete the project, its virtual clusters and its spaces' : `Delete the ${kind.noun}`;
}
