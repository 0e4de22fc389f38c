import type { JsonObject } from '@flotilla/json';
import { usageError } from '../../cli-error.ts';
import type { CallValues } from '../../command-call.ts';
import type { CommandRun } from '../../command-spec.ts';
import { requestObject } from '../../connection/objects.ts';
import { withServer } from '../../connection/server-api.ts';
import { managementApiVersion, projectImport, projectImportSpace } from '../../kinds.ts';
import { outputFormat } from '../../output/output-format.ts';

/** A type of import: the subresource of the project, and the body of the request. */
interface ImportType {
  readonly kind: string;
  readonly subresource: string;
  /**
   * The names of the parts of the source. The user types the parts separated by slashes. The last part is the default
   * name of the instance.
   */
  readonly parts: readonly string[];
  bodyOf(source: JsonObject, values: CallValues): JsonObject;
}

export const importVirtualCluster = importCommand({
  kind: projectImport.kind,
  subresource: 'importvirtualcluster',
  parts: ['cluster', 'namespace', 'name'],
  bodyOf: (sourceVirtualCluster, values) => ({
    sourceVirtualCluster,
    ...(values.flag('external') ? { skipHelmDeploy: true } : {}),
  }),
});

export const importSpace = importCommand({
  kind: projectImportSpace.kind,
  subresource: 'importspace',
  parts: ['cluster', 'name'],
  bodyOf: (sourceSpace) => ({ sourceSpace }),
});

function importCommand({ kind, subresource, parts, bodyOf }: ImportType): CommandRun {
  return async (call) => {
    const { values, terminal } = call;
    const format = await outputFormat(values);
    const source = values.argument('source');
    const typed = source.split('/');
    if (typed.length !== parts.length || typed.includes('')) {
      throw usageError(`${source}: must be ${parts.map((part) => `<${part}>`).join('/')}`);
    }
    return await withServer(call, async (api) => {
      const { project } = api.access;
      const [importName, user, team] = [values.text('as'), values.text('owner-user'), values.text('owner-team')];
      const owner = { ...(user === undefined ? {} : { user }), ...(team === undefined ? {} : { team }) };
      const dryRun = values.flag('dry-run');
      const body = bodyOf(
        {
          ...Object.fromEntries(parts.map((part, at) => [part, typed[at] ?? ''])),
          ...(importName === undefined ? {} : { importName }),
          ...(Object.keys(owner).length === 0 ? {} : { owner }),
        },
        values,
      );
      const response = await requestObject(
        api,
        { kind },
        {
          method: 'POST',
          path: api.managementPath('projects', project, subresource),
          ...(dryRun ? { query: { dryRun: 'All' } } : {}),
          body: { apiVersion: managementApiVersion, kind, ...body },
        },
      );
      const instance = response.metadata.name || importName || typed.at(-1);
      if (format.kind === 'objects') terminal.print(format.print(response));
      else
        terminal.print(
          `${source} ${dryRun ? 'would be imported' : 'imported'} into project "${project}" as "${instance}"\n`,
        );
      return undefined;
    });
  };
}
