import { listAt, textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { ServerTestEnv } from '../server.fixture.ts';
import type { RunningServer } from '../start-server.ts';

let bench: ServerTestEnv;
let server: RunningServer;
let clock: ManualClock;
beforeEach(async () => {
  bench = await ServerTestEnv.open();
  clock = new ManualClock(Date.now());
  server = await bench.start(await bench.settings({}), clock);
  for (const name of ['anna', 'chief', 'loner']) await bench.createObject(server, 'users', name);
  await bench.createObject(server, 'teams', 'red', { users: ['anna'] });
});
afterEach(() => bench.close());

const day = 24 * 3600 * 1000;
const year = 365 * 24 * 3600;
const roleOf = (role: string) => `platform-management-project-${role}`;
const project = (name: string, ...members: { kind: string; name: string; clusterRole: string }[]) =>
  bench.createObject(server, 'projects', name, { members });
const reasons = async (path: string, token?: string) => {
  const call = token === undefined ? {} : { token };
  const events = await bench.send(server, `/kubernetes/management/api/v1/${path}`, call);
  expect(events.code, events.text).toBe(200);
  return listAt(events.json, 'items').map(
    (event) => `${textAt(event, 'metadata', 'namespace')} ${textAt(event, 'reason')}`,
  );
};

describe('a key of a user that expires soon', () => {
  it('is reported to the user in the projects of the user and of the teams, and to no project admin', async () => {
    const chief = { kind: 'User', name: 'chief', clusterRole: roleOf('admin') };
    await project('shop', chief, { kind: 'User', name: 'anna', clusterRole: roleOf('user') });
    await project('till', chief, { kind: 'Team', name: 'red', clusterRole: roleOf('viewer') });
    await project('other', chief);
    const annas = await bench.createKey(server, 'annas', { user: 'anna', ttl: year });
    const chiefs = await bench.createKey(server, 'chiefs', { user: 'chief' });
    await bench.createKey(server, 'ending', { user: 'anna', ttl: 30 * 24 * 3600 });
    clock.advance(15 * day);
    expect(await reasons('events', annas)).toEqual([]);
    clock.advance(2 * day);
    const both = ['platform-p-shop ExpiresSoon', 'platform-p-till ExpiresSoon'];
    await expect.poll(() => reasons('events', annas)).toEqual(both);
    expect(await reasons('namespaces/platform-p-shop/events', annas)).toEqual(both.slice(0, 1));
    expect(await reasons('events')).toEqual(both);
    expect(await reasons('events', chiefs)).toEqual([]);
    expect(await reasons('namespaces/platform-p-shop/events', chiefs)).toEqual([]);
  });

  it('has an event at any time until it expires, and none afterwards', async () => {
    await project('shop', { kind: 'User', name: 'anna', clusterRole: roleOf('user') });
    await bench.createKey(server, 'ending', { user: 'anna', ttl: 30 * 24 * 3600 });
    clock.advance(17 * day);
    const counts = async () => {
      const events = await bench.send(server, '/kubernetes/management/api/v1/events');
      return listAt(events.json, 'items').map((event) => (event as { count?: number }).count);
    };
    await expect.poll(counts).toEqual([1]);
    for (const count of [2, 3]) {
      clock.advance(50 * 60 * 1000);
      await expect.poll(counts).toEqual([count]);
    }
    clock.advance(13 * day);
    await expect.poll(counts).toEqual([]);
  });

  it('is only marked in lists if its owner has no project', async () => {
    await project('shop', { kind: 'User', name: 'anna', clusterRole: roleOf('user') });
    await bench.createKey(server, 'loners', { user: 'loner', ttl: 30 * 24 * 3600 });
    await bench.createKey(server, 'ending', { user: 'anna', ttl: 30 * 24 * 3600 });
    clock.advance(17 * day);
    await expect.poll(() => reasons('events')).toEqual(['platform-p-shop ExpiresSoon']);
  });
});
