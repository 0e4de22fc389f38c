import type { CommandRun } from '../../command-spec.ts';
import { requestObject } from '../../connection/objects.ts';
import { withFreshLogin } from '../../connection/with-fresh-login.ts';
import { clusterAccessKey, managementApiVersion } from '../../kinds.ts';
import { outputSecret } from '../../output/output-secret.ts';

export const run: CommandRun = async (call) => {
  const name = call.values.argument('name');
  return await withFreshLogin(call, async (api) => {
    const made = await requestObject(api, clusterAccessKey, {
      method: 'POST',
      path: api.managementPath('clusters', name, 'accesskey'),
      body: { apiVersion: managementApiVersion, kind: clusterAccessKey.kind },
      signal: call.interrupted,
    });
    await outputSecret(made.accessKey ?? '', call);
    return undefined;
  });
};
