import type { KubeObject } from '../../../api/meta.ts';
import { textAt } from '../../../lib/json-path.ts';
import { CliError, usageError } from '../../cli-error.ts';
import type { CallValues } from '../../command-call.ts';
import type { CommandRun } from '../../command-spec.ts';
import { createObject, deleteObject } from '../../connection/objects.ts';
import { withServer } from '../../connection/server-api.ts';
import { parseDuration } from '../../input/parse-duration.ts';
import { scopeFromOptions } from '../../input/scope-from-options.ts';
import { managementApiVersion, ownedAccessKeys } from '../../kinds.ts';
import { outputFormat } from '../../output/output-format.ts';
import { outputSecret } from '../../output/output-secret.ts';

export const run: CommandRun = async (call) => {
  const { values, terminal } = call;
  const format = await outputFormat(values);
  const object = keyOf(values);
  // From here on Ctrl-C waits for the response: a key that was never shown would be useless, but valid.
  call.interrupted.throwIfAborted();
  return await withServer(call, async (api) => {
    const made = await createObject(api, ownedAccessKeys, object, {});
    const { name = '' } = made.metadata;
    if (format.kind === 'objects') {
      terminal.print(format.print(made));
      return undefined;
    }
    try {
      await outputSecret(textAt(made, 'spec', 'key'), call);
    } catch (error) {
      // The file cannot be written, so nobody has the key: it is deleted again.
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

function keyOf(values: CallValues): KubeObject {
  const name = values.optionalArgument('name');
  const ttl = values.text('ttl');
  if (values.flag('ttl-after-last-activity') && ttl === undefined) {
    throw usageError('--ttl-after-last-activity requires --ttl');
  }
  const scope = scopeFromOptions(values);
  const groups = values.list('group');
  const text = (option: string, member: string) => {
    const value = values.text(option);
    return value === undefined ? {} : { [member]: value };
  };
  return {
    apiVersion: managementApiVersion,
    kind: ownedAccessKeys.kind,
    metadata: name === undefined ? {} : { name },
    spec: {
      ...text('display-name', 'displayName'),
      ...text('description', 'description'),
      ...text('user', 'user'),
      ...text('team', 'team'),
      ...(groups.length === 0 ? {} : { groups: [...groups] }),
      ...(ttl === undefined ? {} : { ttl: parseDuration(ttl, 'ttl') }),
      ...(values.flag('ttl-after-last-activity') ? { ttlAfterLastActivity: true } : {}),
      ...(scope === undefined ? {} : { scope }),
    },
  };
}
