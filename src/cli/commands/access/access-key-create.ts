import type { AccessKey } from '../../../api/management/v1/access-key.ts';
import { CliError, usageError } from '../../cli-error.ts';
import type { CallValues } from '../../command-call.ts';
import type { CommandRun } from '../../command-spec.ts';
import { createObject, deleteObject } from '../../connection/objects.ts';
import { rejectUnknownNames } from '../../connection/reject-unknown-names.ts';
import { withFreshLogin } from '../../connection/with-fresh-login.ts';
import { fieldsFromOptions } from '../../input/fields-from-options.ts';
import { parseDuration } from '../../input/parse-duration.ts';
import { namesInScope, scopeFromOptions } from '../../input/scope-from-options.ts';
import { managementApiVersion, ownedAccessKeys } from '../../kinds.ts';
import { outputFormat } from '../../output/output-format.ts';
import { outputSecret } from '../../output/output-secret.ts';

export const run: CommandRun = async (call) => {
  const { values, terminal } = call;
  const format = await outputFormat(values);
  const object = keyOf(values);
  // After this line, Ctrl-C does not cancel the request. Otherwise the server could create a valid key whose value
  // nobody knows.
  call.interrupted.throwIfAborted();
  return await withFreshLogin(call, async (api) => {
    await rejectUnknownNames(api, namesInScope(values), call);
    call.interrupted.throwIfAborted();
    const made = await createObject(api, ownedAccessKeys, object, {});
    const { name = '' } = made.metadata;
    if (format.kind === 'objects') {
      terminal.print(format.print(made));
      return undefined;
    }
    try {
      await outputSecret(made.spec?.key ?? '', call);
    } catch (error) {
      // Delete the new key, because it cannot be saved and so nobody knows its value.
      await deleteObject(api, ownedAccessKeys, name, {});
      throw new CliError(`${error instanceof Error ? error.message : String(error)}; the access key was deleted`, {
        cause: error,
      });
    }
    terminal.printToStderr(`access key "${name}" created; its value is not shown again\n`);
    call.interrupted.throwIfAborted();
    return undefined;
  });
};

function keyOf(values: CallValues): AccessKey {
  const name = values.optionalArgument('name');
  const ttl = values.text('ttl');
  if (values.flag('ttl-after-last-activity') && ttl === undefined) {
    throw usageError('--ttl-after-last-activity requires --ttl');
  }
  const scope = scopeFromOptions(values);
  const groups = values.list('group');
  const allowedCIDRs = values.list('allowed-cidr');

  return {
    apiVersion: managementApiVersion,
    kind: ownedAccessKeys.kind,
    metadata: name === undefined ? {} : { name },
    spec: {
      ...fieldsFromOptions(values, {
        'display-name': 'displayName',
        description: 'description',
        user: 'user',
        team: 'team',
      }),
      ...(groups.length === 0 ? {} : { groups: [...groups] }),
      ...(allowedCIDRs.length === 0 ? {} : { allowedCIDRs: [...allowedCIDRs] }),
      ...(ttl === undefined ? {} : { ttl: parseDuration(ttl, 'ttl') }),
      ...(values.flag('ttl-after-last-activity') ? { ttlAfterLastActivity: true } : {}),
      ...(scope === undefined ? {} : { scope }),
    },
  };
}
