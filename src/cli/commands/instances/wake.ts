import { sleepForceAnnotation } from '../../../api/naming.ts';
import { StatusError } from '../../../api/status.ts';
import type { CommandRun } from '../../command-spec.ts';
import { patchObject } from '../../connection/objects.ts';
import { type ServerApi, withServer } from '../../connection/server-api.ts';
import { waitUntilReady } from '../../connection/wait-for-instance.ts';
import { timeoutFromOptions } from '../../input/timeout-from-options.ts';
import { virtualClusters } from '../../kinds.ts';

export const run: CommandRun = async (call) =>
  await withServer(call, async (api) => {
    const { values, terminal, interrupted: signal } = call;
    const { project } = api.access;
    const name = values.argument('name');
    const patch = { metadata: { annotations: { [sleepForceAnnotation]: null } } };
    await patchObject(api, virtualClusters, name, { patch, project, signal });
    await sendWakeRequest(api, name, signal);
    if (values.flag('wait'))
      await waitUntilReady(api, { project, name, milliseconds: timeoutFromOptions(values) }, call);
    terminal.print(`virtual cluster "${name}" ${values.flag('wait') ? 'is awake' : 'is waking up'}\n`);
    return undefined;
  });

/**
 * Sends a request that wakes an instance after auto-sleep. Ignores error responses, which are expected during wake-up.
 */
async function sendWakeRequest(api: ServerApi, name: string, signal: AbortSignal): Promise<void> {
  const { apiPrefix, project } = api.access;
  const path = `/${apiPrefix}/project/${encodeURIComponent(project)}/virtualcluster/${encodeURIComponent(name)}/version`;
  await api.text({ path, signal }).catch((error: unknown) => {
    if (!(error instanceof StatusError)) throw error;
  });
}
