import type { CommandRun } from '../../command-spec.ts';
import { patchObject } from '../../connection/objects.ts';
import { withFreshLogin } from '../../connection/with-fresh-login.ts';
import { accessKeys, ownedAccessKeys } from '../../kinds.ts';
import { outputSecretAfter } from '../../output/output-secret.ts';

/** Replaces the secret value of an access key. The old value is already invalid when the command ends. */
export const run: CommandRun = async (call) => {
  const { values, terminal } = call;
  const { generateAccessKey } = await import('../../../server/auth/new-access-key.ts');
  const name = values.argument('name');
  const key = generateAccessKey();
  call.interrupted.throwIfAborted();
  return await withFreshLogin(call, async (api) => {
    const kind = values.flag('all') ? accessKeys : ownedAccessKeys;
    await outputSecretAfter(key, call, () => patchObject(api, kind, name, { patch: { spec: { key } } }));
    terminal.printToStderr(`access key "${name}" rotated; the old value is no longer valid\n`);
    call.interrupted.throwIfAborted();
    return undefined;
  });
};
