import { textAt } from '../../../lib/json-path.ts';
import type { CommandRun } from '../../command-spec.ts';
import { withServer } from '../../connection/server-api.ts';
import { managementApiVersion } from '../../kinds.ts';
import { outputSecret } from '../../output/output-secret.ts';

export const run: CommandRun = async (call) => {
  const name = call.values.argument('name');
  return await withServer(call, async (api) => {
    const made = await api.json({
      method: 'POST',
      path: api.managementPath('clusters', name, 'accesskey'),
      body: { apiVersion: managementApiVersion, kind: 'ClusterAccessKey' },
      signal: call.interrupted,
    });
    await outputSecret(textAt(made, 'accessKey'), call);
    return undefined;
  });
};
