import { managementGroup, projectNamespace } from '../../src/api/naming.ts';
import type { JsonObject, JsonValue } from '../../src/lib/json-value.ts';
import type { Ask } from './ask.ts';
import type { Sent } from './caller.ts';
import type { Row } from './oracle/row.ts';
import * as world from './world.ts';

const root = '/kubernetes/management';

/** Objects as the administrator reads them, by their path: a PUT sends one back as it is. */
export type Pictures = ReadonlyMap<string, JsonObject>;

/** The objects of the world that a row is asked about. */
export function asksOf(row: Row): Ask[] {
  const { verb, group, resource, subresource, place } = row;
  const asked = { verb, group, resource, subresource, project: '', name: '', path: '' };
  if (place === 'path') return [{ ...asked, resource: '', path: resource }];
  if (place === 'all') return [asked];
  if (place === 'project') return ['red', 'blue', 'green', 'nowhere'].map((project) => ({ ...asked, project }));
  return objectsOf(resource).map((object) => ({ ...asked, ...object }));
}

/** The last of each kind is not there: who may is told so, the others learn nothing. */
function objectsOf(resource: string): readonly { name: string; project?: string }[] {
  const placed = (all: readonly { project: string; name: string }[]) =>
    all.map(({ project, name }) => ({ project, name }));
  const named = (all: readonly { name: string }[]) => [...all.map(({ name }) => ({ name })), { name: 'nothing' }];
  switch (resource) {
    case 'virtualclusterinstances':
      return placed(world.instances);
    case 'events':
      return [...placed(world.events), { project: 'red', name: 'nothing' }];
    case 'leases':
      return placed(world.leases);
    case 'projects':
    case 'namespaces':
      return named(world.projects);
    case 'clusters':
      return named(world.clusters);
    case 'virtualclustertemplates':
      return named(world.templates);
    case 'teams':
      return named(world.teams);
    case 'users':
      return named(someUsers);
    case 'accesskeys':
    case 'ownedaccesskeys':
      return named(world.keys);
    default:
      throw new Error(`the world has no ${resource}: add one of every relation to world.ts`);
  }
}

/** One of each relation. */
const someUsers = [
  'admin',
  'red-admin',
  'red-user',
  'mate',
  'founder',
  'blue-user',
  'blue-viewer',
  'guest',
  'watched',
].map((name) => ({ name }));

/** Where it is asked, from the root of the server. */
export function pathOf({ group, resource, subresource, project, name, path }: Ask): string {
  if (path !== '') return `${root}${path}`;
  const version = group === '' ? '/api/v1' : `/apis/${group}/v1`;
  const place = project === '' ? '' : `/namespaces/${projectNamespace(project)}`;
  const object = resource === 'namespaces' && name !== '' ? projectNamespace(name) : name;
  const parts = [resource, object, subresource].filter((part) => part !== '');
  return `${root}${version}${place}/${parts.join('/')}`;
}

const methods: Readonly<Record<string, Sent['method']>> = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
};

/** The request that asks for it. Nothing is changed by it, whoever sends it: writes are dry runs. */
export function requestOf(row: Row, ask: Ask, pictures: Pictures): Sent {
  const method = methods[ask.verb];
  if (method === undefined) throw new Error(`no request has the verb ${ask.verb}`);
  if (row.change !== undefined) {
    const spec = { [row.change]: changes[`${ask.resource} ${row.change}`] ?? null };
    return patch(pathOf({ ...ask, subresource: '' }), { spec });
  }
  if (ask.resource === 'virtualclusterinstances' && ask.subresource === 'restricted') {
    const body = { metadata: { name: 'new-one' }, spec: { template: { metadata: {} } } };
    return { method, path: `${pathOf({ ...ask, subresource: '' })}?dryRun=All`, body };
  }
  const path = pathOf(ask);
  if (ask.verb === 'watch') return { method, path: `${path}?watch=1&resourceVersion=none` };
  if (method === 'GET') return { method, path };
  if (ask.verb === 'create') return { method, path: `${path}?dryRun=All`, body: bodyOf(ask) };
  if (ask.verb === 'patch') {
    const body = ask.group === managementGroup && ask.subresource === '' ? { spec: { displayName: 'another' } } : {};
    return patch(path, body);
  }
  if (ask.verb !== 'update') return { method, path: `${path}?dryRun=All` };
  return { method, path: `${path}?dryRun=All`, body: pictures.get(pathOf({ ...ask, subresource: '' })) ?? {} };
}

function patch(path: string, body: JsonValue): Sent {
  return { method: 'PATCH', path: `${path}?dryRun=All`, type: 'application/merge-patch+json', body };
}

function bodyOf({ resource, subresource, name }: Ask): JsonObject {
  if (subresource === '') return creates[resource] ?? {};
  if (subresource !== 'importvirtualcluster') return {};
  const cluster = world.importSource(name);
  return { sourceVirtualCluster: { name: 'found', namespace: 'there', cluster, importName: 'new-one' } };
}

const named = { metadata: { name: 'new-one' } };
const question = { resourceAttributes: { verb: 'get', resource: 'projects', group: managementGroup } };

const creates: Readonly<Record<string, JsonObject>> = {
  virtualclusterinstances: named,
  projects: named,
  clusters: { ...named, spec: { networkPeer: true } },
  virtualclustertemplates: named,
  users: named,
  teams: named,
  leases: named,
  selfsubjectaccessreviews: { spec: question },
  subjectaccessreviews: { spec: { ...question, user: 'somebody' } },
  selfsubjectrulesreviews: { spec: { namespace: projectNamespace('red') } },
};

/** What a write sends that changes the one member. */
const changes: Readonly<Record<string, JsonValue>> = {
  'virtualclusterinstances owner': { user: 'outsider', team: null },
  'virtualclusterinstances access': [{ verbs: ['*'], users: ['outsider'] }],
  'projects members': [],
  'projects access': [{ verbs: ['*'], users: ['outsider'] }],
  'projects allowedClusters': [],
  'projects allowedTemplates': [],
  'projects quotas': { project: { virtualclusterinstances: 100 } },
  'projects requireTemplate': { disabled: false },
  'projects owner': { user: 'outsider', team: null },
  'clusters access': [{ verbs: ['get'], users: ['outsider'] }],
  'virtualclustertemplates access': [{ verbs: ['get'], users: ['outsider'] }],
  // Too short: whoever may set one is told so, and nothing is hashed.
  'users password': 'short',
  'users groups': ['testers'],
  'users subject': 'another-subject',
  'users disabled': true,
  'teams users': ['outsider'],
  'teams groups': ['testers'],
};
