import { flagAt, type JsonObject, type JsonValue, listAt, textAt, textsAt } from '@flotilla/json';
import type { RequestExtent, Row } from './oracle/row.ts';

/** An endpoint of the server, as discovery reports it from the kind definitions. */
export interface Endpoint {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly verb: string;
  readonly extent: RequestExtent;
}

/** Every endpoint of a management API: verbs × resources × subresources × places to request them. */
export async function servedEndpoints(read: (path: string) => Promise<JsonObject>): Promise<Endpoint[]> {
  const root = '/kubernetes/management';
  const groups = listAt(await read(`${root}/apis`), 'groups');
  const versions = groups.flatMap((group) => listAt(group, 'versions').map((one) => textAt(one, 'groupVersion')));
  const lists = await Promise.all(
    [`${root}/api/v1`, ...versions.map((version) => `${root}/apis/${version}`)].map((path) => read(path)),
  );
  return lists.flatMap((list) => {
    const groupVersion = textAt(list, 'groupVersion');
    const group = groupVersion.includes('/') ? groupVersion.replace(/\/.*/, '') : '';
    return listAt(list, 'resources').flatMap((resource) => endpointsOf(group, resource));
  });
}

function endpointsOf(group: string, described: JsonValue): Endpoint[] {
  const [resource = '', ...rest] = textAt(described, 'name').split('/');
  const subresource = rest.join('/');
  return textsAt(described, 'verbs').flatMap((verb) =>
    extentsOf(verb, subresource !== '', flagAt(described, 'namespaced')).map((extent) => ({
      group,
      resource,
      subresource,
      verb,
      extent,
    })),
  );
}

function extentsOf(verb: string, isSubresource: boolean, namespaced: boolean): RequestExtent[] {
  if (isSubresource || ['get', 'update', 'patch', 'delete'].includes(verb)) return ['one'];
  if (!namespaced) return ['all'];
  return verb === 'list' || verb === 'watch' ? ['all', 'project'] : ['project'];
}

/** Returns the endpoints without a row, one sentence each; empty if the table is complete. */
export function missingRows(endpoints: readonly Endpoint[], table: readonly Row[]): string[] {
  return endpoints
    .filter((endpoint) => !table.some((row) => isFor(row, endpoint)))
    .map(({ group, resource, subresource, verb, extent }) => {
      const what = subresource === '' ? resource : `${resource}/${subresource}`;
      const where = { one: 'of one object', project: 'in a project', all: 'over everything', path: '' }[extent];
      return `${verb} ${what}${group === '' ? '' : `.${group}`} ${where} is served and has no row in test/authz/oracle: add one`;
    });
}

function isFor(row: Row, endpoint: Endpoint): boolean {
  return (
    row.only !== 'review' &&
    row.change === undefined &&
    row.group === endpoint.group &&
    row.resource === endpoint.resource &&
    row.subresource === endpoint.subresource &&
    row.verb === endpoint.verb &&
    row.extent === endpoint.extent
  );
}

/** Paths that the management API lists at its root and that match no row. */
export function pathsWithoutRow(paths: readonly string[], table: readonly Row[]): string[] {
  return paths
    .filter((path) => rowOfPath(path, table) === undefined)
    .map((path) => `GET ${path} is served and has no row in test/authz/oracle: add one`);
}

export function rowOfPath(path: string, table: readonly Row[]): Row | undefined {
  return table.find(
    ({ extent, resource }) =>
      extent === 'path' && (resource === path || (resource.endsWith('/*') && path.startsWith(resource.slice(0, -1)))),
  );
}
