import { flagAt, listAt, textAt, textsAt } from '../../src/lib/json-path.ts';
import type { JsonObject, JsonValue } from '../../src/lib/json-value.ts';
import type { Place, Row } from './oracle/row.ts';

/** Something that the server answers, as discovery has it from the definitions of the kinds. */
export interface Endpoint {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly verb: string;
  readonly place: Place;
}

/** Every endpoint of a management API: verbs × resources × subresources × where they can be asked for. */
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
    placesOf(verb, subresource !== '', flagAt(described, 'namespaced')).map((place) => ({
      group,
      resource,
      subresource,
      verb,
      place,
    })),
  );
}

function placesOf(verb: string, isSubresource: boolean, namespaced: boolean): Place[] {
  if (isSubresource || ['get', 'update', 'patch', 'delete'].includes(verb)) return ['one'];
  if (!namespaced) return ['all'];
  return verb === 'list' || verb === 'watch' ? ['all', 'project'] : ['project'];
}

/** What has no row, in sentences; none: the table is whole. */
export function missingRows(endpoints: readonly Endpoint[], table: readonly Row[]): string[] {
  return endpoints
    .filter((endpoint) => !table.some((row) => isFor(row, endpoint)))
    .map(({ group, resource, subresource, verb, place }) => {
      const what = subresource === '' ? resource : `${resource}/${subresource}`;
      const where = { one: 'of one object', project: 'in a project', all: 'over everything', path: '' }[place];
      return `${verb} ${what}${group === '' ? '' : `.${group}`} ${where} is served and has no row in test/authz/oracle: say who may`;
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
    row.place === endpoint.place
  );
}

/** Paths that the management API lists at its root and that fit no row. */
export function pathsWithoutRow(paths: readonly string[], table: readonly Row[]): string[] {
  return paths
    .filter((path) => rowOfPath(path, table) === undefined)
    .map((path) => `GET ${path} is served and has no row in test/authz/oracle: say who may`);
}

export function rowOfPath(path: string, table: readonly Row[]): Row | undefined {
  return table.find(
    ({ place, resource }) =>
      place === 'path' && (resource === path || (resource.endsWith('/*') && path.startsWith(resource.slice(0, -1)))),
  );
}
