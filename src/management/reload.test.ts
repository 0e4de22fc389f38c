import type { JsonObject } from '@flotilla/json';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { accessKeyKind } from '../api/management/v1/access-key.ts';
import { virtualClusterInstanceKind } from '../api/management/v1/virtual-cluster-instance.ts';
import type { KubeObject } from '../api/meta.ts';
import { projectNamespace, projectRoles } from '../api/naming.ts';
import { generateAccessKey } from '../auth/access-key-format.ts';
import { userPrincipal } from '../auth/authz/principals.ts';
import { openControlPlane } from '../controlplane/control-plane.ts';
import { storedEvents } from '../controlplane/core/events.ts';
import { readOnlyNamespaces } from '../controlplane/core/namespaces/namespaces.ts';
import { silentLog } from '../lib/log.ts';
import { storeOf } from '../registry/kind-stores.ts';
import { openActivityLog } from '../server/activity/open-activity-log.ts';
import { openMailPreferences } from '../server/mail/mail-rows.ts';
import { openNotificationStates } from '../server/notifications/notification-states.ts';
import { interruptibleStore } from '../store/interruptible-store.fixture.ts';
import type { Store } from '../store/store.ts';
import {
  deleteOptions,
  listOptions,
  type ManagementTestEnv,
  openManagementTestEnv,
  writeOptions,
} from './management.fixture.ts';
import { managementResources } from './management-resources.ts';
import { defaultManagementSettings } from './settings.ts';
import { createManagementState, type ManagementState } from './state.ts';
import { createWebhookSender } from './webhooks/webhook-sender.ts';

/** Opens the management kinds of another server process over a store. */
async function openOtherProcess({ clock, sealer }: ManagementTestEnv, store: Store) {
  const settings = defaultManagementSettings;
  const state = createManagementState(settings.projects);
  const plane = await openControlPlane({
    id: 'management',
    store,
    clock,
    log: silentLog,
    resources: [
      ...managementResources({
        state,
        clock,
        sealer,
        activity: openActivityLog({ store, retention: { added() {} } }),
        webhookSender: createWebhookSender({ settings: settings.webhooks, clock }),
        notificationStates: openNotificationStates(store),
        mailPreferences: openMailPreferences(store),
        settings,
        connect: undefined,
      }),
      readOnlyNamespaces,
      storedEvents,
    ],
    mount: () => [],
    authorize: () => ({ allowed: true, reason: '' }),
    mayRead: () => undefined,
    onMaintenanceWork() {},
  });
  state.attach(plane.kinds);
  return { plane, state };
}

const names = ['a', 'b', 'c'] as const;
const userNames = [...names, 'admin'];

function snapshotOf(state: ManagementState) {
  const namesOf = (objects: Iterable<{ metadata: { name?: string } }>) =>
    [...objects].map(({ metadata }) => metadata.name);
  const versionsOf = (objects: Iterable<KubeObject>) =>
    [...objects].map(({ metadata: { name, uid, resourceVersion }, spec }) => ({ name, uid, resourceVersion, spec }));
  const keysOf = (user: string) => namesOf(state.accessKeysOf('user', user)).sort();
  return {
    users: versionsOf(state.users()),
    teams: versionsOf(state.teams()),
    projects: versionsOf(state.projects()),
    namespaces: namesOf(state.namespaces()),
    teamsOf: userNames.map((user) => state.teamsOf(user)),
    projectsOf: userNames.map((user) => [...state.projectsOf(userPrincipal(user))].sort()),
    keys: userNames.map((user) => [keysOf(user), state.accessKeyCountOf('user', user)]),
    created: userNames.flatMap(keysOf).map((key) => [...state.keysCreatedWith(key ?? '')].sort()),
    instances: state.instanceCount(virtualClusterInstanceKind, 'default'),
    instanceBytes: state.instanceBytes(virtualClusterInstanceKind, 'default'),
    owners: [...state.instanceOwners(virtualClusterInstanceKind, 'default')].sort(),
    onLocal: state.instancesOn('local'),
    readers: userNames.map((user) => state.hasReadableInstance(projectNamespace('default'), userPrincipal(user))),
  };
}

interface Write {
  readonly kind: 'users' | 'teams' | 'projects' | 'accesskeys' | 'virtualclusterinstances';
  readonly name: (typeof names)[number];
  readonly other: string;
}

const writeArbitrary: fc.Arbitrary<Write> = fc.record({
  kind: fc.constantFrom('users', 'teams', 'projects', 'accesskeys', 'virtualclusterinstances'),
  name: fc.constantFrom(...names),
  other: fc.constantFrom(...userNames),
});

function createObject(env: ManagementTestEnv, kind: Write['kind'], name: string, spec: JsonObject): Promise<unknown> {
  if (kind !== 'accesskeys') return env.create(kind, name, spec, env.admin(projectOf(kind)));
  const key = { apiVersion: 'management.platform.sh/v1', kind: 'AccessKey', metadata: { name }, spec };
  return storeOf(env.plane.kinds, accessKeyKind).verbs.create(env.system(), key, writeOptions);
}

async function remove(env: ManagementTestEnv, kind: Write['kind'], name: string): Promise<void> {
  if (kind !== 'accesskeys') await env.remove(kind, name, projectOf(kind));
  else await storeOf(env.plane.kinds, accessKeyKind).verbs.delete(env.system(), name, deleteOptions);
}

const projectOf = (kind: Write['kind']) => (kind === 'virtualclusterinstances' ? 'default' : '');

/** Creates the object, or deletes it if it exists. Returns false if the write breaks a rule. */
async function toggle(env: ManagementTestEnv, { kind, name, other }: Write): Promise<boolean> {
  const project = projectOf(kind);
  const specs = {
    users: { displayName: other },
    teams: { users: [other] },
    projects: { members: [{ kind: 'User', name: other, clusterRole: projectRoles.user }] },
    accesskeys: { user: other, type: 'User', key: generateAccessKey() },
    virtualclusterinstances: { owner: { user: other } },
  };
  const stored = [...env.plane.kinds.values()].find(({ resource }) => resource.plural === kind);
  const exists = stored?.peek(project === '' ? '' : projectNamespace(project), name) !== undefined;
  const writing = exists ? remove(env, kind, name) : createObject(env, kind, name, specs[kind]);
  return await writing.then(
    () => true,
    () => false,
  );
}

it('the management state equals that of a new process after any changes were lost', async () => {
  const writes = fc.array(writeArbitrary, { minLength: 3, maxLength: 12 });
  const lostKinds = new Set<string>();
  const property = async (before: Write[], lost: Write[]) => {
    const env = await openManagementTestEnv();
    const replica = interruptibleStore(env.store);
    const { plane, state } = await openOtherProcess(env, replica.store);
    for (const write of before) await toggle(env, write);
    expect(snapshotOf(state)).toEqual(snapshotOf(env.state));
    replica.hold();
    for (const write of lost) if (await toggle(env, write)) lostKinds.add(write.kind);
    replica.interrupt();
    for (const kind of plane.kinds.values()) await kind.verbs.list(env.system(), listOptions);
    const fresh = await openOtherProcess(env, env.store);
    expect(snapshotOf(state)).toEqual(snapshotOf(fresh.state));
    for (const opened of [plane, fresh.plane, env.plane]) opened.close();
  };
  await fc.assert(fc.asyncProperty(writes, writes, property), { numRuns: 25 });
  expect([...lostKinds].sort()).toEqual(['accesskeys', 'projects', 'teams', 'users', 'virtualclusterinstances']);
});
