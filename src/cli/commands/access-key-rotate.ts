import type { CommandRun } from '../command-spec.ts';
import { patchObject } from '../connection/objects.ts';
import { withServer } from '../connection/server-api.ts';
import { accessKeys, ownedAccessKeys } from '../kinds.ts';
import { giveSecret } from '../output/give-secret.ts';

/** Gives a key another value; the old one ends with the answer. */
export const run: CommandRun = async (call) => {
  const { values, terminal } = call;
  const { generateAccessKey } = await import('../../server/new-access-key.ts');
  const name = values.argument('name');
  const key = generateAccessKey();
  call.interrupted.throwIfAborted();
  return await withServer(call, async (api) => {
    if (values.text('file') !== undefined) {
      // Kept before it is in force: a file that cannot be written then leaves the old value in force.
      await giveSecret(key, call);
    }
    await patchObject(api, values.flag('all') ? accessKeys : ownedAccessKeys, name, { spec: { key } }, {});
    if (values.text('file') === undefined) await giveSecret(key, call);
    terminal.remark(`access key ${name} has a new value; the old one is void\n`);
    call.interrupted.throwIfAborted();
    return undefined;
  });
};
