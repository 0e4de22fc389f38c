import { usageError } from '../../cli-error.ts';
import type { CommandRun } from '../../command-spec.ts';
import { requestObject } from '../../connection/objects.ts';
import { withServer } from '../../connection/server-api.ts';
import { managementApiVersion, projectImport } from '../../kinds.ts';
import { outputFormat } from '../../output/output-format.ts';

export const run: CommandRun = async (call) => {
  const { values, terminal } = call;
  const format = await outputFormat(values);
  const source = values.argument('source');
  const [cluster = '', namespace = '', name = '', ...more] = source.split('/');
  if (name === '' || more.length > 0) throw usageError(`${source}: must be <cluster>/<namespace>/<name>`);
  return await withServer(call, async (api) => {
    const { project } = api.access;
    const [importName, user, team] = [values.text('as'), values.text('owner-user'), values.text('owner-team')];
    const owner = { ...(user === undefined ? {} : { user }), ...(team === undefined ? {} : { team }) };
    const dryRun = values.flag('dry-run');
    const response = await requestObject(api, projectImport, {
      method: 'POST',
      path: api.managementPath('projects', project, 'importvirtualcluster'),
      ...(dryRun ? { query: { dryRun: 'All' } } : {}),
      body: {
        apiVersion: managementApiVersion,
        kind: projectImport.kind,
        sourceVirtualCluster: {
          cluster,
          namespace,
          name,
          ...(importName === undefined ? {} : { importName }),
          ...(Object.keys(owner).length === 0 ? {} : { owner }),
        },
        ...(values.flag('external') ? { skipHelmDeploy: true } : {}),
      },
    });
    const instance = response.metadata.name || importName || name;
    if (format.kind === 'objects') terminal.print(format.print(response));
    else
      terminal.print(
        `${source} ${dryRun ? 'would be imported' : 'imported'} into project "${project}" as "${instance}"\n`,
      );
    return undefined;
  });
};
