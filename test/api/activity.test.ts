import { type JsonObject, type JsonValue, listAt, textAt } from '@flotilla/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteAfterAnnotation, lastActivityAnnotation, projectRoles } from '../../src/api/naming.ts';
import { inPhase, instancesOf, isGone, isReconciled, waitForInstance } from '../../src/server/instances.fixture.ts';
import { groupPath, mergePatch, ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';
import { eventually } from '../bad-days/eventually.ts';

const people = ['chief', 'anna', 'bob', 'viewer', 'guest', 'stranger', 'auditor'] as const;
type Person = (typeof people)[number];

let bench: ServerTestEnv;
let server: RunningServer;
const keys = new Map<string, string>();
const redActivity = `${instancesOf('red', 'activityrecords')}`;
const allActivity = `${groupPath}/activityrecords`;

const ask = (who: Person | 'admin', path: string, call: { method?: 'POST' | 'DELETE'; body?: JsonValue } = {}) => {
  const token = keys.get(who);
  return bench.send(server, path, token === undefined ? call : { ...call, token });
};
const patch = async (who: Person | 'admin', path: string, body: JsonObject) => {
  const token = keys.get(who);
  const answer = await bench.send(server, path, { ...mergePatch(body), ...(token === undefined ? {} : { token }) });
  expect(answer.code, answer.text).toBe(200);
};
const create = async (who: Person | 'admin', path: string, body: JsonObject) => {
  const answer = await ask(who, path, { method: 'POST', body });
  expect(answer.code, answer.text).toBe(201);
};

/** Describes the records that a person sees, newest first. */
async function seen(who: Person | 'admin', path = redActivity): Promise<string[]> {
  const { code, json, text } = await ask(who, path);
  expect(code, text).toBe(200);
  return listAt(json, 'items').map(describeRecord);
}

function describeRecord(record: JsonValue): string {
  const [actor, action] = [textAt(record, 'actor') || 'server', textAt(record, 'action')];
  return `${actor} ${action} ${textAt(record, 'involvedObject', 'name')}: ${textAt(record, 'message')}`;
}

const member = (name: Person, role: keyof typeof projectRoles) => ({
  kind: 'User',
  name,
  clusterRole: projectRoles[role],
});
const members = [member('chief', 'admin'), member('anna', 'user'), member('bob', 'user'), member('viewer', 'viewer')];
const redSpec = { members, allowedClusters: [{ name: '*' }], allowedTemplates: [{ name: '*' }] };

beforeAll(async () => {
  bench = await ServerTestEnv.open();
  server = await bench.start();
  for (const name of people) {
    await bench.createObject(server, 'users', name, name === 'auditor' ? { groups: ['platform:auditors'] } : {});
    keys.set(name, await bench.createKey(server, `of-${name}`, { user: name }));
  }
  await bench.createObject(server, 'projects', 'red', redSpec);
  await bench.createObject(server, 'projects', 'blue');
  const one = `${instancesOf('red')}/one`;
  await create('anna', instancesOf('red'), {
    metadata: { name: 'one' },
    spec: { description: 'secret-looking' },
  });
  await waitForInstance(bench, server, { project: 'red', name: 'one' }, inPhase('Ready'));
  await patch('anna', one, { spec: { access: [{ name: 'guests', verbs: ['get'], users: ['guest'] }] } });
  await patch('chief', one, { spec: { description: 'not in the record' } });
  await patch('chief', one, { metadata: { annotations: { [lastActivityAnnotation]: '1' } } });
  await create('bob', instancesOf('red'), { metadata: { name: 'two' } });
  await waitForInstance(bench, server, { project: 'red', name: 'two' }, inPhase('Ready'));
  expect((await ask('bob', `${instancesOf('red')}/two`, { method: 'DELETE' })).code).toBe(200);
  await waitForInstance(bench, server, { project: 'red', name: 'two' }, isGone);
}, 120_000);
afterAll(() => bench.close());

const aboutOne = [
  'chief Changed one: changed spec.description',
  'anna Shared one: gave access to user guest',
  'server Ready one: became ready',
  'anna Created one: created',
];
const aboutTwo = ['bob Deleted two: deleted', 'server Ready two: became ready', 'bob Created two: created'];
const aboutRed = ['admin Created red: created'];

describe('the activity of a project', () => {
  it('shows project admins and auditors everything in it, newest first', async () => {
    const everything = [...aboutTwo, ...aboutOne, ...aboutRed];
    for (const who of ['admin', 'auditor', 'chief'] as const) expect(await seen(who), who).toEqual(everything);
  });

  it('shows other members the project and the objects that they may read, also after their deletion', async () => {
    expect(await seen('anna')).toEqual([...aboutOne, ...aboutRed]);
    expect(await seen('bob')).toEqual([...aboutTwo, ...aboutRed]);
    expect(await seen('viewer')).toEqual(aboutRed);
  });

  it('shows a person with access to one object only that object, and strangers nothing', async () => {
    expect(await seen('guest')).toEqual(aboutOne);
    expect((await ask('stranger', redActivity)).code).toBe(403);
    expect(await seen('stranger', allActivity)).toEqual([]);
  });

  it('stays hidden from a person whose access was removed, also after the deletion of the object', async () => {
    const path = `${instancesOf('red')}/unshared`;
    const select = `${redActivity}?fieldSelector=involvedObject.name%3Dunshared`;
    await create('anna', instancesOf('red'), { metadata: { name: 'unshared' } });
    await waitForInstance(bench, server, { project: 'red', name: 'unshared' }, inPhase('Ready'));
    await patch('anna', path, { spec: { access: [{ name: 'guests', verbs: ['get'], users: ['guest'] }] } });
    await patch('anna', path, { spec: { description: 'while it is shared' } });
    expect((await seen('guest', select)).length).toBe(4);
    await patch('anna', path, { spec: { access: [] } });
    expect(await seen('guest', select)).toEqual([]);
    expect((await ask('anna', path, { method: 'DELETE' })).code).toBe(200);
    await waitForInstance(bench, server, { project: 'red', name: 'unshared' }, isGone);
    expect(await seen('guest', select)).toEqual([]);
    expect((await seen('anna', select)).length).toBe(6);
  }, 60_000);

  it('contains neither values of fields nor source addresses nor names of access keys', async () => {
    const { text } = await ask('chief', redActivity);
    for (const hidden of ['secret-looking', 'not in the record', '127.0.0.1', 'of-anna', 'sourceIPs']) {
      expect(text, hidden).not.toContain(hidden);
    }
  });

  it('hides the records of an earlier project of the same name from the members of the later one', async () => {
    await bench.createObject(server, 'projects', 'short', redSpec);
    const path = instancesOf('short', 'activityrecords');
    expect(await seen('chief', path)).toEqual(['admin Created short: created']);
    expect((await ask('admin', `${groupPath}/projects/short`, { method: 'DELETE' })).code).toBe(200);
    const read = () => ask('admin', `${groupPath}/projects/short`);
    await eventually(60, read, ({ code }) => code === 404);
    await bench.createObject(server, 'projects', 'short', redSpec);
    expect(await seen('chief', path)).toEqual(['admin Created short: created']);
    expect(await seen('admin', path)).toEqual([
      'admin Created short: created',
      'admin Deleted short: deleted',
      'admin Created short: created',
    ]);
  });
});

describe('lists of activity records', () => {
  it('can be limited to an object, and read in pages', async () => {
    const select = `${redActivity}?fieldSelector=${encodeURIComponent('involvedObject.kind=VirtualClusterInstance,involvedObject.name=one')}`;
    expect(await seen('chief', select)).toEqual(aboutOne);
    const pages: string[] = [];
    let next = '';
    do {
      const more = next === '' ? '' : `&continue=${next}`;
      const { json } = await ask('chief', `${select}&limit=3${more}`);
      expect(listAt(json, 'items').length).toBeLessThanOrEqual(3);
      pages.push(...listAt(json, 'items').map(describeRecord));
      next = textAt(json, 'metadata', 'continue');
    } while (next !== '');
    expect(pages).toEqual(aboutOne);
  });

  it('contain objects outside of projects only for admins and auditors', async () => {
    const users = `${allActivity}?fieldSelector=involvedObject.kind%3DUser`;
    for (const who of ['admin', 'auditor'] as const) expect((await seen(who, users)).length).toBe(people.length);
    expect(await seen('chief', users)).toEqual([]);
  });

  it('are limited to the projects of a scope', async () => {
    const scope = { roles: [], projects: [{ project: 'blue' }] };
    const token = await bench.createKey(server, 'only-blue', { user: 'admin', scope });
    const inBlue = await bench.send(server, allActivity, { token });
    expect(listAt(inBlue.json, 'items').map(describeRecord)).toEqual(['admin Created blue: created']);
    expect((await bench.send(server, redActivity, { token })).code).toBe(403);
  });

  it('cannot be watched or written', async () => {
    expect((await ask('admin', `${redActivity}?watch=true`)).code).toBe(405);
    expect((await ask('admin', redActivity, { method: 'POST', body: {} })).code).toBe(405);
  });

  it('show the deletion of an unused object by the server, and survive a restart', async () => {
    const path = `${instancesOf('red')}/three`;
    await create('anna', instancesOf('red'), { metadata: { name: 'three' } });
    await waitForInstance(bench, server, { project: 'red', name: 'three' }, isReconciled);
    await patch('anna', path, { metadata: { annotations: { [deleteAfterAnnotation]: '1' } } });
    await waitForInstance(bench, server, { project: 'red', name: 'three' }, isGone);
    const select = `${redActivity}?fieldSelector=involvedObject.name%3Dthree`;
    const before = await seen('anna', select);
    expect(before[0]).toBe('server Deleted three: deleted by the server');
    await bench.stop(server);
    server = await bench.start();
    expect(await seen('anna', select)).toEqual(before);
  });
});
