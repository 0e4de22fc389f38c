import type { CommandCall } from '../../command-call.ts';
import type { CommandRun } from '../../command-spec.ts';
import { requestObject } from '../../connection/objects.ts';
import { withFreshLogin } from '../../connection/with-fresh-login.ts';
import { parseDuration } from '../../input/parse-duration.ts';
import { managementApiVersion, userPasswordResets } from '../../kinds.ts';

export const run: CommandRun = async (call) => {
  const ttl = call.values.text('ttl');
  await printResetLink(call, ttl === undefined ? {} : { ttl: parseDuration(ttl, 'ttl') });
  return undefined;
};

/** Creates a reset link for the user that the command names, and prints it. */
export async function printResetLink(call: CommandCall, spec: { readonly ttl?: number }): Promise<void> {
  const { values, terminal } = call;
  const name = values.argument('name');
  await withFreshLogin(call, async (api) => {
    const body = { apiVersion: managementApiVersion, kind: userPasswordResets.kind, metadata: { name }, spec };
    const path = api.managementPath('users', name, 'resetpassword');
    const { status } = await requestObject(api, userPasswordResets, { method: 'POST', path, body });
    terminal.print(`${status?.url ?? ''}\n`);
    terminal.printToStderr(`the link sets the password of "${name}" once; it expires at ${status?.expires ?? ''}\n`);
  });
}
