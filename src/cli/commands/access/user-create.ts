import { usageError } from '../../cli-error.ts';
import type { CommandCall } from '../../command-call.ts';
import type { CommandRun } from '../../command-spec.ts';
import { fieldsFromOptions } from '../../input/fields-from-options.ts';
import { readSecretFromStdin } from '../../input/read-stdin.ts';
import { users } from '../../kinds.ts';
import { createAndShow } from '../objects/object-create.ts';
import { printResetLink } from './user-reset-password.ts';

export const run: CommandRun = async (call) => {
  const { values } = call;
  const needsLink = values.flag('reset-link');
  if (needsLink && (values.flag('password-stdin') || values.flag('dry-run')))
    throw usageError('--reset-link cannot be combined with --password-stdin or --dry-run');
  await createAndShow(users, await specOf(call), call);
  if (needsLink) await printResetLink(call, {});
  else if (!values.flag('password-stdin') && !values.flag('dry-run')) printNextSteps(call);
  return undefined;
};

/**
 * A new user without a password has no access yet. The hint goes to standard error, so scripts that read standard
 * output do not see it.
 */
function printNextSteps({ values, terminal }: CommandCall): void {
  const name = values.argument('name');
  terminal.printToStderr(
    `to let "${name}" sign in with a password, send the link that this prints: flotilla user reset-password ${name}\n`,
  );
}

async function specOf({ values }: CommandCall) {
  const groups = values.list('group');
  return {
    ...fieldsFromOptions(values, { 'display-name': 'displayName', email: 'email', username: 'username' }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(values.flag('password-stdin') ? { password: await readSecretFromStdin('password') } : {}),
  };
}
