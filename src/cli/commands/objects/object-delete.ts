import { StatusError } from '../../../api/status.ts';
import type { CommandRun } from '../../command-spec.ts';
import { deleteObject } from '../../connection/objects.ts';
import { withServer } from '../../connection/server-api.ts';
import { confirmDeletion } from '../../input/confirm-deletion.ts';
import { type NamedKind, projects } from '../../kinds.ts';

export function deleteCommand(kind: NamedKind): CommandRun {
  return async (call) => {
    const { values, terminal, interrupted: signal } = call;
    const names = values.argumentList('name');
    const consequence = kind === projects ? ', with all virtual clusters and spaces' : '';
    return await withServer(call, async (api) => {
      await confirmDeletion(kind.noun, { names, consequence }, call);
      for (const name of names) {
        try {
          const response = await deleteObject(api, kind, name, { project: api.access.project, signal });
          // The response is the object if finalizers delay its deletion. Otherwise it is a Status.
          terminal.print(`${kind.noun} "${name}" ${response.kind === 'Status' ? 'deleted' : 'is being deleted'}\n`);
        } catch (error) {
          const isMissing = error instanceof StatusError && error.code === 404;
          if (!isMissing || !values.flag('ignore-not-found')) throw error;
          terminal.printToStderr(`${kind.noun} "${name}" not found\n`);
        }
      }
      return undefined;
    });
  };
}
