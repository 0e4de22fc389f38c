import type { JsonObject } from '@flotilla/json';
import { disabledReasonAnnotation } from '../../../api/naming.ts';
import type { CommandRun } from '../../command-spec.ts';
import { patchObject } from '../../connection/objects.ts';
import { withFreshLogin } from '../../connection/with-fresh-login.ts';
import { accessKeys, ownedAccessKeys } from '../../kinds.ts';

/**
 * Returns the patch that disables or enables a key. The patch that enables a key also removes the reason that the
 * server stored when it disabled the key.
 */
function patchOf(disabled: boolean): JsonObject {
  if (disabled) return { spec: { disabled } };
  return { metadata: { annotations: { [disabledReasonAnnotation]: null } }, spec: { disabled } };
}

/** Returns the command that disables or enables access keys. Requests with a disabled key result in 401. */
export function setDisabled(disabled: boolean): CommandRun {
  return async (call) =>
    await withFreshLogin(call, async (api) => {
      const kind = call.values.flag('all') ? accessKeys : ownedAccessKeys;
      for (const name of call.values.argumentList('name')) {
        await patchObject(api, kind, name, { patch: patchOf(disabled), signal: call.interrupted });
        call.terminal.print(`access key "${name}" ${disabled ? 'disabled' : 'enabled'}\n`);
      }
      return undefined;
    });
}
