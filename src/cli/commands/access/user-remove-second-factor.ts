import type { CommandRun } from '../../command-spec.ts';
import { requestObject } from '../../connection/objects.ts';
import { withFreshLogin } from '../../connection/with-fresh-login.ts';
import { managementApiVersion, userSecondFactorRemovals } from '../../kinds.ts';

export const run: CommandRun = async (call) => {
  const name = call.values.argument('name');
  return await withFreshLogin(call, async (api) => {
    const body = { apiVersion: managementApiVersion, kind: userSecondFactorRemovals.kind, metadata: { name } };
    const path = api.managementPath('users', name, 'removesecondfactor');
    const { status } = await requestObject(api, userSecondFactorRemovals, { method: 'POST', path, body });
    const result = status?.removed === true ? 'second factor removed' : 'has no second factor';
    call.terminal.print(`user "${name}": ${result}\n`);
    return undefined;
  });
};
