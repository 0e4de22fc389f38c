import { flagAt, type JsonObject, listAt, numberAt, textAt } from '@flotilla/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoles, sleepAfterAnnotation } from '../../src/api/naming.ts';
import { inPhase, instancesOf, waitForInstance } from '../../src/server/instances.fixture.ts';
import { groupPath, mergePatch, ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';
import { eventually } from '../bad-days/eventually.ts';

const people = ['chief', 'anna', 'bob', 'guest'] as const;
type Person = (typeof people)[number] | 'admin';

let bench: ServerTestEnv;
let server: RunningServer;
const keys = new Map<string, string>();

async function review(who: Person, spec: JsonObject = {}, query = '', token = keys.get(who)): Promise<JsonObject> {
  const path = `${groupPath}/notificationreviews${query}`;
  const call = { method: 'POST', body: { spec }, ...(token === undefined ? {} : { token }) } as const;
  const { code, json, text } = await bench.send(server, path, call);
  expect(code, text).toBe(201);
  return json;
}

const describeItems = (json: JsonObject) =>
  listAt(json, 'status', 'items').map((item) => `${textAt(item, 'reason')} ${textAt(item, 'involvedObject', 'name')}`);
const seen = async (who: Person) => describeItems(await review(who));
const unread = (json: JsonObject) => numberAt(json, 'status', 'unread');

const member = (name: string, role: keyof typeof projectRoles) => ({
  kind: 'User',
  name,
  clusterRole: projectRoles[role],
});

beforeAll(async () => {
  bench = await ServerTestEnv.open();
  server = await bench.start();
  for (const name of people) {
    await bench.createObject(server, 'users', name);
    keys.set(name, await bench.createKey(server, `of-${name}`, { user: name }));
  }
  await bench.createObject(server, 'projects', 'red', {
    members: [member('chief', 'admin'), member('anna', 'user'), member('bob', 'user')],
    allowedClusters: [{ name: '*' }],
    allowedTemplates: [{ name: '*' }],
    quotas: { project: { virtualclusterinstances: '1' } },
  });
  const access = [{ name: 'guests', verbs: ['get'], users: ['guest'] }];
  const token = keys.get('anna') ?? '';
  const objects = 'apiVersion: nowhere.io/v1\nkind: Thing\nmetadata: {name: a}';
  await bench.createObject(server, 'virtualclustertemplates', 'broken', { template: { objects } });
  const spec = { access, templateRef: { name: 'broken' } };
  const body = { metadata: { name: 'broken' }, spec };
  const made = await bench.send(server, instancesOf('red'), { method: 'POST', body, token });
  expect(made.code, made.text).toBe(201);
  await waitForInstance(bench, server, { project: 'red', name: 'broken' }, inPhase('Failed'));
  const readProject = async () => (await bench.send(server, `${groupPath}/projects/red`)).json;
  const used = ['status', 'quotas', 'project', 'used', 'virtualclusterinstances'];
  await eventually(60, readProject, (project) => textAt(project, ...used) === '1');
}, 120_000);
afterAll(() => bench.close());

describe('notifications', () => {
  it('reach the owner, the admins of the project and the admins of the installation, and nobody else', async () => {
    expect(await seen('anna')).toEqual(['Failed broken']);
    expect(await seen('chief')).toEqual(['Failed broken', 'QuotaNearlyReached red']);
    expect(await seen('admin')).toEqual(['Failed broken', 'QuotaNearlyReached red']);
    expect(await seen('bob')).toEqual([]);
    expect(await seen('guest')).toEqual([]);
  });

  it('stay read and dismissed for one user, also after a restart', async () => {
    const first = await review('chief');
    expect(unread(first)).toBe(2);
    expect(unread(await review('chief', { markRead: true }, '?dryRun=All'))).toBe(0);
    expect(unread(await review('chief'))).toBe(2);
    await review('chief', { markRead: true });
    const failed = listAt(first, 'status', 'items').find((item) => textAt(item, 'reason') === 'Failed');
    const dismissed = await review('chief', { dismiss: [textAt(failed, 'id')] });
    expect(describeItems(dismissed)).toEqual(['QuotaNearlyReached red']);
    await bench.stop(server);
    server = await bench.start();
    expect(await seen('chief')).toEqual(['QuotaNearlyReached red']);
    expect(unread(await review('chief'))).toBe(0);
    expect(unread(await review('anna'))).toBe(1);
  });

  it('announce the sleep of an instance and the end of a key', async () => {
    // A key in the last quarter of its lifetime.
    const ending = await bench.createKey(server, 'ending', { user: 'anna', ttl: 4 });
    expect(ending).not.toBe('');
    const sees = (pattern: RegExp) =>
      eventually(
        60,
        () => seen('anna'),
        (items) => items.some((each) => pattern.test(each)),
      );
    await sees(/^Key(Expires|Expired) ending$/);
    const broken = `${instancesOf('red')}/broken`;
    const template = `${groupPath}/virtualclustertemplates/broken`;
    const mended = await bench.send(server, template, mergePatch({ spec: { template: { objects: '' } } }));
    expect(mended.code, mended.text).toBe(200);
    await waitForInstance(bench, server, { project: 'red', name: 'broken' }, inPhase('Ready'));
    expect(await seen('anna')).not.toContain('Failed broken');
    const metadata = { annotations: { [sleepAfterAnnotation]: '20' } };
    expect((await bench.send(server, broken, mergePatch({ metadata }))).code).toBe(200);
    await sees(/^SleepsSoon broken$/);
  }, 120_000);

  it('are limited to the objects that the scope of a key allows, and refuse too many IDs', async () => {
    const scope = { roles: [], allowPlatformCli: true, projects: [{ project: 'default' }] };
    const token = await bench.createKey(server, 'scoped', { user: 'chief', scope });
    expect(describeItems(await review('chief', {}, '', token))).toEqual([]);
    // A review with the scoped key does not change what the user has read with other credentials, and does not mark
    // notifications that the key may not read.
    const quotaIsRead = (json: JsonObject) =>
      listAt(json, 'status', 'items').some((item) => flagAt(item, 'isRead') && /^Quota/.test(textAt(item, 'reason')));
    expect(quotaIsRead(await review('chief', { markRead: true }))).toBe(true);
    await review('chief', {}, '', token);
    expect(quotaIsRead(await review('chief'))).toBe(true);
    const adminKey = await bench.createKey(server, 'scoped-admin', { user: 'admin', scope });
    await review('admin', { markRead: true }, '', adminKey);
    expect(quotaIsRead(await review('admin'))).toBe(false);
    const body = { spec: { dismiss: Array.from({ length: 101 }, (_, index) => `id-${index}`) } };
    const refused = await bench.send(server, `${groupPath}/notificationreviews`, { method: 'POST', body });
    expect(refused.code).toBe(422);
    expect(refused.text).toContain('spec.dismiss');
  });
});
