import type { JsonObject, JsonValue } from '@flotilla/json';
import { managementGroup, projectNamespace } from '../../src/api/naming.ts';
import type { Sent } from './caller.ts';
import type { Row } from './oracle/row.ts';
import type { RequestedAction } from './requested-action.ts';
import * as world from './world.ts';

const root = '/kubernetes/management';

/** Objects as the administrator reads them, by their path. A PUT sends such an object back unchanged. */
export type ObjectSnapshots = ReadonlyMap<string, JsonObject>;

/** Returns the operations on fixture objects with which a row is tested. */
export function actionsOf(row: Row): RequestedAction[] {
  const { verb, group, resource, subresource, extent } = row;
  const asked = { verb, group, resource, subresource, project: '', name: '', path: '' };
  if (extent === 'path') return [{ ...asked, resource: '', path: resource }];
  if (extent === 'all') return [asked];
  if (extent === 'project') return ['red', 'blue', 'green', 'nowhere'].map((project) => ({ ...asked, project }));
  return objectsOf(resource).map((object) => ({ ...asked, ...object }));
}

/** The last object of each kind does not exist: authorized callers get 404, other callers learn nothing. */
function objectsOf(resource: string): readonly { name: string; project?: string }[] {
  const placed = (all: readonly { project: string; name: string }[]) =>
    all.map(({ project, name }) => ({ project, name }));
  const named = (all: readonly { name: string }[]) => [...all.map(({ name }) => ({ name })), { name: 'nothing' }];
  switch (resource) {
    case 'virtualclusterinstances':
      return placed(world.instances);
    case 'spaceinstances':
      return placed(world.spaces);
    case 'events':
      return [...placed(world.events), { project: 'red', name: 'nothing' }];
    case 'leases':
      return placed(world.leases);
    case 'projectwebhooks':
      return placed(world.webhooks);
    case 'secrets':
    case 'configmaps':
      return placed(world.configObjects);
    case 'projects':
    case 'namespaces':
      return named(world.projects);
    case 'customresourcedefinitions':
      return named([{ name: `projects.${managementGroup}` }]);
    case 'clusters':
      return named(world.clusters);
    case 'virtualclustertemplates':
      return named(world.templates);
    case 'spacetemplates':
      return named(world.spaceTemplates);
    case 'teams':
      return named(world.teams);
    case 'users':
      return named(someUsers);
    case 'usages':
      return named([{ name: 'fleet' }]);
    case 'pricelists':
      return named([]);
    case 'features':
    case 'licenses':
    case 'configs':
      return named([]);
    case 'accesskeys':
    case 'ownedaccesskeys':
      return named(world.keys);
    default:
      throw new Error(`the fixture has no ${resource}: add one of every relation to world.ts`);
  }
}

/** At least one user of each relation. */
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

/** The request path from the root of the server. */
export function pathOf({ group, resource, subresource, project, name, path }: RequestedAction): string {
  if (path !== '') return `${root}${path}`;
  const version = group === '' ? '/api/v1' : `/apis/${group}/v1`;
  const namespacePath = project === '' ? '' : `/namespaces/${projectNamespace(project)}`;
  const object = resource === 'namespaces' && name !== '' ? projectNamespace(name) : name;
  const parts = [resource, object, subresource].filter((part) => part !== '');
  return `${root}${version}${namespacePath}/${parts.join('/')}`;
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

/** Returns the request for an operation. The request changes nothing for any caller, because writes are dry runs. */
export function requestOf(row: Row, ask: RequestedAction, snapshots: ObjectSnapshots): Sent {
  const method = methods[ask.verb];
  if (method === undefined) throw new Error(`no request has the verb ${ask.verb}`);
  if (row.change !== undefined) {
    const spec = { [row.change]: changes[`${ask.resource} ${row.change}`] ?? null };
    return patch(pathOf({ ...ask, subresource: '' }), { spec });
  }
  if (ask.subresource === 'restricted') {
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
  return { method, path: `${path}?dryRun=All`, body: snapshots.get(pathOf({ ...ask, subresource: '' })) ?? {} };
}

function patch(path: string, body: JsonValue): Sent {
  return { method: 'PATCH', path: `${path}?dryRun=All`, type: 'application/merge-patch+json', body };
}

function bodyOf({ resource, subresource, name }: RequestedAction): JsonObject {
  if (subresource === '') return creates[resource] ?? {};
  const cluster = world.importSource(name);
  if (subresource === 'importspace') return { sourceSpace: { name: 'found', cluster, importName: 'new-one' } };
  if (subresource !== 'importvirtualcluster') return {};
  return { sourceVirtualCluster: { name: 'found', namespace: 'there', cluster, importName: 'new-one' } };
}

const named = { metadata: { name: 'new-one' } };
const question = { resourceAttributes: { verb: 'get', resource: 'projects', group: managementGroup } };

const creates: Readonly<Record<string, JsonObject>> = {
  virtualclusterinstances: named,
  spaceinstances: named,
  spacetemplates: named,
  projects: named,
  clusters: { ...named, spec: { networkPeer: true } },
  virtualclustertemplates: named,
  users: named,
  teams: named,
  leases: named,
  projectwebhooks: { ...named, spec: world.webhookSpec },
  pricelists: { metadata: { name: 'default' }, spec: { currency: 'EUR' } },
  secrets: named,
  configmaps: named,
  selfsubjectaccessreviews: { spec: question },
  subjectaccessreviews: { spec: { ...question, user: 'somebody' } },
  selfsubjectrulesreviews: { spec: { namespace: projectNamespace('red') } },
};

/** The body of a write that changes one member. */
const changes: Readonly<Record<string, JsonValue>> = {
  'virtualclusterinstances owner': { user: 'outsider', team: null },
  'virtualclusterinstances access': [{ verbs: ['*'], users: ['outsider'] }],
  'spaceinstances owner': { user: 'outsider', team: null },
  'spaceinstances access': [{ verbs: ['*'], users: ['outsider'] }],
  'projects members': [],
  'projects access': [{ verbs: ['*'], users: ['outsider'] }],
  'projects allowedClusters': [],
  'projects allowedTemplates': [],
  'projects quotas': { project: { virtualclusterinstances: 100 } },
  'projects requireTemplate': { disabled: false },
  'projects hostIsolation': { podSecurity: 'restricted' },
  'projects owner': { user: 'outsider', team: null },
  'clusters access': [{ verbs: ['get'], users: ['outsider'] }],
  'virtualclustertemplates access': [{ verbs: ['get'], users: ['outsider'] }],
  'spacetemplates access': [{ verbs: ['get'], users: ['outsider'] }],
  // The password is too short, so an authorized caller gets a validation error and nothing is hashed.
  'users password': 'short',
  'users groups': ['testers'],
  'users subject': 'another-subject',
  'users disabled': true,
  'users allowedCIDRs': ['192.0.2.0/24'],
  'users identities': [{ issuer: 'https://login.example', subject: 'nobody' }],
  'teams users': ['outsider'],
  'teams groups': ['testers'],
};
