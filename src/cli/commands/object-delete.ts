import { StatusError } from '../../api/status.ts';
import type { CommandRun } from '../command-spec.ts';
import { deleteObject } from '../connection/objects.ts';
import { withServer } from '../connection/server-api.ts';
import type { NamedKind } from '../kinds.ts';

export function deleteOf(kind: NamedKind): CommandRun {
  return async (call) => {
    const { values, terminal, interrupted: signal } = call;
    return await withServer(call, async (api) => {
      for (const name of values.rest('name')) {
        try {
          const answer = await deleteObject(api, kind, name, { project: api.access.project, signal });
          // What is held by something comes back as the object; what is gone as a Status.
          terminal.print(`${kind.noun} ${name} ${answer.kind === 'Status' ? 'deleted' : 'is being deleted'}\n`);
        } catch (error) {
          const isGone = error instanceof StatusError && error.code === 404;
          if (!isGone || !values.flag('ignore-not-found')) throw error;
          terminal.remark(`there is no ${kind.noun} ${name}\n`);
        }
      }
      return undefined;
    });
  };
}
