import type { CommandRun } from '../../command-spec.ts';
import { patchObject } from '../../connection/objects.ts';
import { withServer } from '../../connection/server-api.ts';
import { accessKeys, ownedAccessKeys } from '../../kinds.ts';

/** Returns the command that disables or enables access keys. Requests with a disabled key result in 401. */
export function setDisabled(disabled: boolean): CommandRun {
  return async (call) =>
    await withServer(call, async (api) => {
      const kind = call.values.flag('all') ? accessKeys : ownedAccessKeys;
      for (const name of call.values.argumentList('name')) {
        await patchObject(api, kind, name, { patch: { spec: { disabled } }, signal: call.interrupted });
        call.terminal.print(`access key "${name}" ${disabled ? 'disabled' : 'enabled'}\n`);
      }
      return undefined;
    });
}
