import type { CommandRun } from '../../command-spec.ts';
import { patchObject } from '../../connection/objects.ts';
import { withServer } from '../../connection/server-api.ts';
import { accessKeys, ownedAccessKeys } from '../../kinds.ts';
import { outputSecret } from '../../output/output-secret.ts';

/** Replaces the secret value of an access key. The old value is already invalid when the command ends. */
export const run: CommandRun = async (call) => {
  const { values, terminal } = call;
  const { generateAccessKey } = await import('../../../server/auth/new-access-key.ts');
  const name = values.argument('name');
  const key = generateAccessKey();
  call.interrupted.throwIfAborted();
  return await withServer(call, async (api) => {
    if (values.text('file') !== undefined) {
      // The file is written before the key is changed. If the file cannot be written, the old value stays valid.
      await outputSecret(key, call);
    }
    await patchObject(api, values.flag('all') ? accessKeys : ownedAccessKeys, name, { patch: { spec: { key } } });
    if (values.text('file') === undefined) await outputSecret(key, call);
    terminal.printToStderr(`access key "${name}" rotated; the old value is no longer valid\n`);
    call.interrupted.throwIfAborted();
    return undefined;
  });
};
