import { acceptDataLossAnnotation, sleepForceAnnotation } from '../../../api/naming.ts';
import type { CommandRun } from '../../command-spec.ts';
import { patchObject } from '../../connection/objects.ts';
import { withServer } from '../../connection/server-api.ts';
import { waitUntilAsleep } from '../../connection/wait-for-instance.ts';
import { timeoutFromOptions } from '../../input/timeout-from-options.ts';
import type { InstanceKind } from '../../kinds.ts';

/** Returns the command that puts an instance to sleep. */
export function sleepCommand(kind: InstanceKind): CommandRun {
  return async (call) =>
    await withServer(call, async (api) => {
      const { values, terminal, interrupted: signal } = call;
      const { project } = api.access;
      const name = values.argument('name');
      const acceptsDataLoss = kind.word === 'virtual-cluster' && values.flag('accept-data-loss');
      const annotations = {
        [sleepForceAnnotation]: 'true',
        ...(acceptsDataLoss ? { [acceptDataLossAnnotation]: 'true' } : {}),
      };
      await patchObject(api, kind, name, { patch: { metadata: { annotations } }, project, signal });
      if (values.flag('wait')) {
        const wanted = { kind, project, name, milliseconds: timeoutFromOptions(values), acceptsDataLoss };
        await waitUntilAsleep(api, wanted, call);
      }
      terminal.print(`${kind.noun} "${name}" ${values.flag('wait') ? 'is asleep' : 'is going to sleep'}\n`);
      return undefined;
    });
}
