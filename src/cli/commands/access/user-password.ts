import { CliError, exitCodes } from '../../cli-error.ts';
import type { CommandCall } from '../../command-call.ts';
import type { CommandRun } from '../../command-spec.ts';
import { patchObject } from '../../connection/objects.ts';
import { withFreshLogin } from '../../connection/with-fresh-login.ts';
import { promptSecret } from '../../input/prompt-user.ts';
import { readSecretFromStdin } from '../../input/read-stdin.ts';
import { users } from '../../kinds.ts';

export const run: CommandRun = async (call) => {
  const name = call.values.argument('name');
  const password = await newPassword(name, call);
  return await withFreshLogin(call, async (api) => {
    await patchObject(api, users, name, { patch: { spec: { password } }, signal: call.interrupted });
    call.terminal.print(`password of user "${name}" changed\n`);
    return undefined;
  });
};

/** Returns the new password. Prompts for the password twice, because the input is not visible. */
async function newPassword(name: string, call: CommandCall): Promise<string> {
  if (call.values.flag('password-stdin')) return await readSecretFromStdin('password');
  if (!call.terminal.canPrompt) {
    const next = 'pipe it in and pass --password-stdin';
    throw new CliError('cannot ask for the password without a terminal', { exitCode: exitCodes.usage, next });
  }
  const password = await promptSecret(`New password for ${name}: `, call);
  if (password === (await promptSecret('Repeat the password: ', call))) return password;
  throw new CliError('the passwords do not match; nothing was changed');
}
