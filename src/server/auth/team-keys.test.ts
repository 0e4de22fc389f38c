import { type JsonObject, listAt, textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { groupPath, mergePatch, ServerTestEnv } from '../server.fixture.ts';
import type { RunningServer } from '../start-server.ts';

let bench: ServerTestEnv;
let server: RunningServer;
let clock: ManualClock;
beforeEach(async () => {
  bench = await ServerTestEnv.open();
  clock = new ManualClock(Date.now());
});
afterEach(() => bench.close());

const day = 24 * 3600 * 1000;

/** Starts a server on which anna, a member of the team red, has created a key of the team. Returns the key. */
async function start(settings: JsonObject = {}): Promise<string> {
  server = await bench.start(await bench.settings(settings), clock);
  for (const name of ['anna', 'bob']) await bench.createObject(server, 'users', name);
  await bench.createObject(server, 'teams', 'red', { users: ['anna', 'bob'] });
  const members = [{ kind: 'Team', name: 'red', clusterRole: 'platform-management-project-user' }];
  await bench.createObject(server, 'projects', 'shop', { members });
  const token = await bench.createKey(server, 'annas', { user: 'anna' });
  const call = { method: 'POST', token, body: { metadata: { name: 'red' }, spec: { team: 'red' } } } as const;
  const made = await bench.send(server, `${groupPath}/ownedaccesskeys`, call);
  expect(made.code, made.text).toBe(201);
  return textAt(made.json, 'spec', 'key');
}

const keyOfTeam = async () => (await bench.send(server, `${groupPath}/accesskeys/red`)).json;
const message = async () => textAt(await keyOfTeam(), 'status', 'message');
const disabled = async () => (await keyOfTeam()).spec;
const use = async (token: string) => (await bench.send(server, `${groupPath}/ownedaccesskeys`, { token })).code;
const eventReasons = async () => {
  const events = await bench.send(server, '/kubernetes/management/api/v1/namespaces/platform-p-shop/events');
  return listAt(events.json, 'items').map((event) => textAt(event, 'reason'));
};
const change = async (path: string, spec: JsonObject, token?: string) => {
  const patch = mergePatch({ spec });
  const answer = await bench.send(server, `${groupPath}/${path}`, token === undefined ? patch : { ...patch, token });
  expect(answer.code, answer.text).toBe(200);
};

describe('a key of a team', () => {
  const losses: readonly [string, () => Promise<unknown>, string][] = [
    ['leaves the team', () => change('teams/red', { users: ['bob'] }), 'left team "red"'],
    ['is disabled', () => change('users/anna', { disabled: true }), 'is disabled'],
    ['is deleted', () => bench.send(server, `${groupPath}/users/anna`, { method: 'DELETE' }), 'was deleted'],
  ];
  it.each(losses)('is disabled a day after its creator %s, and says so before', async (_, lose, reason) => {
    // The key of the team is created with a login, because a key that was created with another key of the creator ends
    // with that other key.
    const token = await start();
    const login = mergePatch({ spec: { password: 'correct horse' } });
    await bench.send(server, `${groupPath}/users/anna`, login);
    const opened = await bench.send(server, '/auth/password/login', {
      method: 'POST',
      token: '',
      body: { username: 'anna', password: 'correct horse' },
    });
    await bench.send(server, `${groupPath}/accesskeys/red`, { method: 'DELETE' });
    const made = await bench.send(server, `${groupPath}/ownedaccesskeys`, {
      method: 'POST',
      token: textAt(opened.json, 'accessKey'),
      body: { metadata: { name: 'red' }, spec: { team: 'red' } },
    });
    const key = textAt(made.json, 'spec', 'key');
    expect(await use(token)).toBe(401);
    await lose();
    await expect.poll(message).toContain(reason);
    await expect.poll(eventReasons).toEqual(['CreatorLeft']);
    expect(await use(key)).toBe(200);
    clock.advance(day);
    await expect.poll(() => use(key)).toBe(401);
    expect(await disabled()).toMatchObject({ disabled: true, createdBy: 'anna' });
    await expect.poll(eventReasons).toContain('Disabled');
  });

  it('stays valid if a member replaces its value in time, or if the setting says so', async () => {
    await start();
    const bobs = await bench.createKey(server, 'bobs', { user: 'bob' });
    await change('teams/red', { users: ['bob'] });
    await expect.poll(message).toContain('left team');
    const value = 'another-value-0123456789-abcdefghij';
    await change('ownedaccesskeys/red', { key: value }, bobs);
    await expect.poll(message).toBe('');
    clock.advance(day);
    expect(await use(value)).toBe(200);
  });

  it('reminds of its end two weeks before', async () => {
    await start();
    await bench.createKey(server, 'ending', { team: 'red', ttl: 30 * 24 * 3600 });
    clock.advance(15 * day);
    expect(await eventReasons()).toEqual([]);
    clock.advance(2 * day);
    await expect.poll(eventReasons).toEqual(['ExpiresSoon']);
  });

  it('that an admin created for a team depends on no member', async () => {
    await start();
    const token = await bench.createKey(server, 'given', { team: 'red' });
    await change('teams/red', { users: ['bob'] });
    await expect.poll(message).toContain('left team');
    const given = (await bench.send(server, `${groupPath}/accesskeys/given`)).json;
    expect(textAt(given, 'status', 'message')).toBe('');
    expect(await use(token)).toBe(200);
  });

  it('stays valid without its creator if accessKeys.teamKeysFollowMaker is false', async () => {
    const key = await start({ accessKeys: { teamKeysFollowMaker: false, teamKeyGraceSeconds: 0 } });
    await change('teams/red', { users: ['bob'] });
    await expect.poll(async () => (await bench.send(server, `${groupPath}/users/anna`)).json.status ?? {}).toEqual({});
    expect(await use(key)).toBe(200);
  });
});
