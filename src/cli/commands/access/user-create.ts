import type { CommandCall } from '../../command-call.ts';
import type { CommandRun } from '../../command-spec.ts';
import { fieldsFromOptions } from '../../input/fields-from-options.ts';
import { readSecretFromStdin } from '../../input/read-stdin.ts';
import { users } from '../../kinds.ts';
import { createAndShow } from '../objects/object-create.ts';

export const run: CommandRun = async (call) => await createAndShow(users, await specOf(call), call);

async function specOf({ values }: CommandCall) {
  const groups = values.list('group');
  return {
    ...fieldsFromOptions(values, { 'display-name': 'displayName', email: 'email', username: 'username' }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(values.flag('password-stdin') ? { password: await readSecretFromStdin('password') } : {}),
  };
}
