import { type JsonObject, type JsonValue, textAt } from '@flotilla/json';
import { adminsGroup, auditorsGroup, managementGroup, projectNamespace, projectRoles } from '../../src/api/naming.ts';
import type { Caller } from './caller.ts';
import type { Persona } from './personas.ts';
import * as world from './world.ts';

const root = '/kubernetes/management';
const group = `${root}/apis/${managementGroup}/v1`;

/** Creates an object through the API; throws unless it was created. */
export type Make = (path: string, body: JsonObject, token?: string) => Promise<JsonObject>;

export function objectCreator(caller: Caller, adminKey: string): Make {
  return async (path, body, token = adminKey) => {
    const { code, text } = await caller.send(token, { method: 'POST', path, body });
    if (code !== 201) throw new Error(`POST ${path} ${JSON.stringify(body)}: ${code} ${text}`);
    return JSON.parse(text) as JsonObject;
  };
}

/** Creates the fixture of `world.ts` as the administrator. */
export async function createFixture(make: Make): Promise<void> {
  const one = (plural: string, name: string, spec: JsonObject) =>
    make(`${group}/${plural}`, { metadata: { name }, spec });
  for (const name of world.users) {
    const groups = groupsOf(name);
    await one('users', name, { groups, access: json(world.userAccess[name] ?? []) });
  }
  for (const { name, users, owner, access } of world.teams) {
    await one('teams', name, { users: [...users], ...owned(owner), access: json(access) });
  }
  for (const { name, owner, access } of world.clusters.filter((cluster) => cluster.name !== 'local')) {
    await one('clusters', name, { networkPeer: true, ...owned(owner), access: json(access) });
  }
  for (const { name, owner, access } of world.templates.filter((template) => template.name !== 'control-plane')) {
    await one('virtualclustertemplates', name, { ...owned(owner), access: json(access) });
  }
  for (const { name, owner, access } of world.spaceTemplates) {
    await one('spacetemplates', name, { ...owned(owner), access: json(access) });
  }
  for (const project of world.projects.filter(({ name }) => name !== 'default')) {
    await one('projects', project.name, projectSpec(project));
  }
  for (const [plural, objects] of [
    ['virtualclusterinstances', world.instances],
    ['spaceinstances', world.spaces],
  ] as const) {
    for (const { project, name, owner, access } of objects) {
      const spec = { ...owned(owner), clusterRef: { cluster: 'local' }, access: json(access) };
      await make(`${group}/namespaces/${projectNamespace(project)}/${plural}`, { metadata: { name }, spec });
    }
  }
  for (const event of world.events) await make(`${root}/api/v1${inProject(event.project)}/events`, eventBody(event));
  for (const { project, name } of world.leases) {
    await make(`${root}/apis/coordination.k8s.io/v1${inProject(project)}/leases`, { metadata: { name } });
  }
  for (const { project, name } of world.webhooks) {
    await make(`${group}${inProject(project)}/projectwebhooks`, { metadata: { name }, spec: world.webhookSpec });
  }
  const tokens = new Map<string, string>();
  for (const { name, owner } of world.keys.filter((key) => key.name !== 'admin')) {
    tokens.set(JSON.stringify(owner), textAt(await one('ownedaccesskeys', name, { ...owner }), 'spec', 'key'));
  }
  for (const { project, name, owner } of world.configObjects) {
    for (const plural of ['secrets', 'configmaps']) {
      const path = `${root}/api/v1${inProject(project)}/${plural}`;
      await make(path, { metadata: { name } }, tokens.get(JSON.stringify(owner)));
    }
  }
}

function groupsOf(user: string): string[] {
  if (world.adminUsers.includes(user)) return [adminsGroup];
  return world.auditorUsers.includes(user) ? [auditorsGroup] : [];
}

function projectSpec({ owner, members, clusters, templates, spaceTemplates, access }: world.WorldProject): JsonObject {
  return {
    ...owned(owner),
    members: members.map(({ user, team, role }) => ({
      kind: team === undefined ? 'User' : 'Team',
      name: team ?? user ?? '',
      clusterRole: projectRoles[role],
    })),
    allowedClusters: clusters.map((name) => ({ name })),
    allowedTemplates: [
      ...templates.map((name) => ({ name })),
      ...spaceTemplates.map((name) => ({ kind: 'SpaceTemplate', name })),
    ],
    access: json(access),
  };
}

function eventBody({ project, name, about, aboutKey }: world.WorldEvent): JsonObject {
  const namespace = projectNamespace(project);
  const apiVersion = `${managementGroup}/v1`;
  let involvedObject: JsonObject = { kind: 'Secret', apiVersion: 'v1', namespace, name: 'something' };
  if (about !== undefined) involvedObject = { kind: 'VirtualClusterInstance', apiVersion, namespace, name: about };
  if (aboutKey !== undefined) involvedObject = { kind: 'AccessKey', apiVersion, namespace, name: aboutKey };
  return { metadata: { name, namespace }, involvedObject, reason: 'Tested', message: 'a test', type: 'Normal' };
}

const inProject = (project: string) => `/namespaces/${projectNamespace(project)}`;

function owned(owner: world.Owner | undefined): JsonObject {
  return owner === undefined ? {} : { owner: { ...owner } };
}

function json(access: readonly world.Access[]): JsonValue {
  return JSON.parse(JSON.stringify(access)) as JsonValue;
}

/**
 * Creates the access key of a persona, with the name `key-<name>`, and returns its token. For several scopes, creates
 * one key per scope, each with the previous key.
 */
export async function keyFor(make: Make, persona: Persona): Promise<string> {
  const { name, holder, groups, scopes } = persona;
  const [first, ...later] = scopes;
  const key = (spec: JsonObject, last: boolean) => ({ metadata: last ? { name: `key-${name}` } : {}, spec });
  const spec: JsonObject = { ...holder, ...(groups === undefined ? {} : { groups: [...groups] }) };
  const given = first === undefined ? spec : { ...spec, scope: first.scope };
  let token = textAt(await make(`${group}/ownedaccesskeys`, key(given, later.length === 0)), 'spec', 'key');
  for (const [index, shape] of later.entries()) {
    const body = key(shape === undefined ? {} : { scope: shape.scope }, index === later.length - 1);
    token = textAt(await make(`${group}/ownedaccesskeys`, body, token), 'spec', 'key');
  }
  return token;
}
