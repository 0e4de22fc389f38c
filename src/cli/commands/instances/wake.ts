import type { CommandRun } from '../../command-spec.ts';
import { withServer } from '../../connection/server-api.ts';
import { waitUntilReady } from '../../connection/wait-for-instance.ts';
import { wakeInstance } from '../../connection/wake-instance.ts';
import { timeoutFromOptions } from '../../input/timeout-from-options.ts';
import type { InstanceKind } from '../../kinds.ts';

/** Returns the command that wakes an instance. */
export function wakeCommand(kind: InstanceKind): CommandRun {
  return async (call) =>
    await withServer(call, async (api) => {
      const { values, terminal, interrupted: signal } = call;
      const { project } = api.access;
      const name = values.argument('name');
      await wakeInstance(api, kind, name, signal);
      if (values.flag('wait'))
        await waitUntilReady(api, { kind, project, name, milliseconds: timeoutFromOptions(values) }, call);
      terminal.print(`${kind.noun} "${name}" ${values.flag('wait') ? 'is awake' : 'is waking up'}\n`);
      return undefined;
    });
}
