import { sleepForceAnnotation } from '../../../api/naming.ts';
import { StatusError } from '../../../api/status.ts';
import type { CommandRun } from '../../command-spec.ts';
import { patchObject } from '../../connection/objects.ts';
import { type ServerApi, withServer } from '../../connection/server-api.ts';
import { waitUntilReady } from '../../connection/wait-for-instance.ts';
import { timeoutFromOptions } from '../../input/timeout-from-options.ts';
import type { InstanceKind } from '../../kinds.ts';

/** Returns the command that wakes an instance. */
export function wakeCommand(kind: InstanceKind): CommandRun {
  return async (call) =>
    await withServer(call, async (api) => {
      const { values, terminal, interrupted: signal } = call;
      const { project } = api.access;
      const name = values.argument('name');
      const patch = { metadata: { annotations: { [sleepForceAnnotation]: null } } };
      await patchObject(api, kind, name, { patch, project, signal });
      await sendWakeRequest(api, kind, name, signal);
      if (values.flag('wait'))
        await waitUntilReady(api, { kind, project, name, milliseconds: timeoutFromOptions(values) }, call);
      terminal.print(`${kind.noun} "${name}" ${values.flag('wait') ? 'is awake' : 'is waking up'}\n`);
      return undefined;
    });
}

/**
 * Sends a request that wakes an instance after auto-sleep. Ignores error responses, which are expected during wake-up.
 */
async function sendWakeRequest(api: ServerApi, kind: InstanceKind, name: string, signal: AbortSignal): Promise<void> {
  const { apiPrefix, project } = api.access;
  const path = `/${apiPrefix}/project/${encodeURIComponent(project)}/${kind.gatewaySegment}/${encodeURIComponent(name)}/version`;
  await api.text({ path, signal }).catch((error: unknown) => {
    if (!(error instanceof StatusError)) throw error;
  });
}
