import { sleepForceAnnotation } from '../../../api/naming.ts';
import type { CommandRun } from '../../command-spec.ts';
import { patchObject } from '../../connection/objects.ts';
import { withServer } from '../../connection/server-api.ts';
import { waitForPhase } from '../../connection/wait-for-instance.ts';
import { timeoutFromOptions } from '../../input/timeout-from-options.ts';
import { virtualClusters } from '../../kinds.ts';

export const run: CommandRun = async (call) =>
  await withServer(call, async (api) => {
    const { values, terminal, interrupted: signal } = call;
    const { project } = api.access;
    const name = values.argument('name');
    const patch = { metadata: { annotations: { [sleepForceAnnotation]: 'true' } } };
    await patchObject(api, virtualClusters, name, { patch, project, signal });
    if (values.flag('wait')) {
      await waitForPhase(api, { project, name, milliseconds: timeoutFromOptions(values) }, 'Sleeping', call);
    }
    terminal.print(`virtual cluster "${name}" ${values.flag('wait') ? 'is asleep' : 'is going to sleep'}\n`);
    return undefined;
  });
