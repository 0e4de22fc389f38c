import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type JsonValue, listAt, textAt, valueAt } from '@flotilla/json';
import type { Dispatcher } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { itExceptOnEtcd } from '../../../test/harness/etcd/it-except-on-etcd.ts';
import { accessKeyKind } from '../../api/management/v1/access-key.ts';
import { userKind } from '../../api/management/v1/user.ts';
import { adminsGroup } from '../../api/naming.ts';
import { ManualClock } from '../../lib/clock.ts';
import { readLines } from '../../lib/read-lines.ts';
import { objectRowKey, resourceKey } from '../../registry/rows/rows.ts';
import { groupPath, mergePatch, type ParsedResponse, type RequestOptions, ServerTestEnv } from '../server.fixture.ts';
import type { RunningServer } from '../start-server.ts';

let bench: ServerTestEnv;
beforeEach(async () => {
  bench = await ServerTestEnv.open();
});
afterEach(() => bench.close());

const week = 7 * 24 * 3600 * 1000;

async function* eventsOf(watch: Dispatcher.ResponseData): AsyncGenerator<JsonValue> {
  for await (const line of readLines(watch.body)) yield JSON.parse(line);
}

/** Reads until an event matches; rejects if the stream ends before. */
async function until(events: AsyncGenerator<JsonValue>, test: (event: JsonValue) => boolean): Promise<void> {
  for (let next = await events.next(); next.done !== true; next = await events.next()) if (test(next.value)) return;
  throw new Error('the watch ended without a matching event');
}

describe('permissions', () => {
  it('deny admin-only requests, and let nobody change a status, not even admins', async () => {
    const server = await bench.start();
    await bench.createObject(server, 'users', 'anna');
    const token = await bench.createKey(server, 'annas', { user: 'anna' });
    for (const path of [`${groupPath}/accesskeys`, '/metrics', '/backup']) {
      expect((await bench.send(server, path, { token })).code, path).toBe(403);
    }
    expect((await bench.send(server, `${groupPath}/ownedaccesskeys/annas`, { token })).code).toBe(200);
    expect((await bench.send(server, `${groupPath}/ownedaccesskeys/admin`, { token })).code).toBe(404);
    const before = (await bench.send(server, `${groupPath}/clusters/local`)).json;
    const patch = mergePatch({ status: { phase: 'Failed' } });
    const written = await bench.send(server, `${groupPath}/clusters/local/status`, patch);
    expect([written.code, written.json]).toEqual([200, before]);
  });

  it('of a scoped key never exceed its scope', async () => {
    const server = await bench.start();
    const token = await bench.createKey(server, 'narrow', { scope: { projects: [{ project: 'default' }] } });
    for (const path of [`${groupPath}/users`, `${groupPath}/ownedaccesskeys`, '/backup', '/metrics']) {
      expect((await bench.send(server, path, { token })).code, path).toBe(403);
    }
  });
});

describe('access keys', () => {
  const changes: [string, (server: RunningServer) => Promise<ParsedResponse>][] = [
    [
      'disabled',
      (server) => bench.send(server, `${groupPath}/accesskeys/mine`, mergePatch({ spec: { disabled: true } })),
    ],
    ['deleted', (server) => bench.send(server, `${groupPath}/accesskeys/mine`, { method: 'DELETE' })],
    [
      'given another value',
      (server) =>
        bench.send(
          server,
          `${groupPath}/accesskeys/mine`,
          mergePatch({ spec: { key: 'another-value-0123456789-abcdefghij' } }),
        ),
    ],
    [
      'given a scope',
      (server) =>
        bench.send(
          server,
          `${groupPath}/accesskeys/mine`,
          mergePatch({ spec: { scope: { projects: [{ project: 'default' }] } } }),
        ),
    ],
    [
      'left with a disabled user',
      (server) => bench.send(server, `${groupPath}/users/anna`, mergePatch({ spec: { disabled: true } })),
    ],
    ['left without their user', (server) => bench.send(server, `${groupPath}/users/anna`, { method: 'DELETE' })],
    [
      'given other groups through their user',
      (server) => bench.send(server, `${groupPath}/users/anna`, mergePatch({ spec: { groups: ['another'] } })),
    ],
  ];
  it.each(changes)('end their watches once they are %s', async (what, change) => {
    const server = await bench.start();
    await bench.createObject(server, 'users', 'anna');
    const token = await bench.createKey(server, 'mine', { user: 'anna' });
    const watch = await bench.request(server, `${groupPath}/ownedaccesskeys?watch=true`, { token });
    expect(watch.statusCode).toBe(200);
    const ended = watch.body.text();
    const changed = await change(server);
    expect(changed.code, changed.text).toBe(200);
    await ended;
    const after = (await bench.send(server, `${groupPath}/ownedaccesskeys`, { token })).code;
    expect(after).toBe(what === 'given a scope' ? 403 : what.includes('groups') ? 200 : 401);
  });

  const ownChanges: [string, (call: (call: RequestOptions) => Promise<ParsedResponse>) => Promise<ParsedResponse>][] = [
    ['disables', (call) => call(mergePatch({ spec: { disabled: true } }))],
    ['deletes', (call) => call({ method: 'DELETE' })],
    ['replaces', (call) => call(mergePatch({ spec: { key: 'another-value-0123456789-abcdefghij' } }))],
  ];
  it.each(ownChanges)('still complete the request that %s the key it was sent with', async (_, change) => {
    const server = await bench.start();
    const token = await bench.createKey(server, 'mine');
    const answer = await change((call) => bench.send(server, `${groupPath}/ownedaccesskeys/mine`, { ...call, token }));
    expect(answer.code, answer.text).toBe(200);
    expect((await bench.send(server, `${groupPath}/ownedaccesskeys`, { token })).code).toBe(401);
  });

  it('still complete the request that removes the permissions which allowed it', async () => {
    const server = await bench.start();
    await bench.createObject(server, 'users', 'root', { groups: [adminsGroup] });
    const token = await bench.createKey(server, 'roots', { user: 'root' });
    const patch = { ...mergePatch({ spec: { groups: null } }), token };
    expect((await bench.send(server, `${groupPath}/users/root`, patch)).code).toBe(200);
    expect((await bench.send(server, `${groupPath}/accesskeys`, { token })).code).toBe(403);
  });

  it('end their open watches when they expire', async () => {
    const clock = new ManualClock();
    const server = await bench.start({}, clock);
    const token = await bench.createKey(server, 'mine', { ttl: 60 });
    const watch = await bench.request(server, `${groupPath}/ownedaccesskeys?watch=true`, { token });
    expect(watch.statusCode).toBe(200);
    clock.advance(59_999);
    expect((await bench.send(server, `${groupPath}/ownedaccesskeys`, { token })).code).toBe(200);
    clock.advance(1);
    await watch.body.text();
    expect((await bench.send(server, `${groupPath}/ownedaccesskeys`, { token })).code).toBe(401);
  });

  const parentEnds: [string, (server: RunningServer, clock: ManualClock) => Promise<unknown>][] = [
    [
      'disabled',
      (server) => bench.send(server, `${groupPath}/accesskeys/parent`, mergePatch({ spec: { disabled: true } })),
    ],
    ['deleted', (server) => bench.send(server, `${groupPath}/accesskeys/parent`, { method: 'DELETE' })],
    ['expired', async (_, clock) => clock.advance(600_000)],
    [
      'that of a disabled user',
      (server) => bench.send(server, `${groupPath}/users/anna`, mergePatch({ spec: { disabled: true } })),
    ],
  ];
  it.each(parentEnds)(
    'end with the key they were created with, once it is %s, across all generations',
    async (_, change) => {
      const clock = new ManualClock();
      const server = await bench.start({}, clock);
      await bench.createObject(server, 'users', 'anna');
      await bench.createObject(server, 'teams', 'red', { users: ['anna'] });
      const parent = await bench.createKey(server, 'parent', { user: 'anna', ttl: 600 });
      const make = async (token: string, name: string): Promise<string> => {
        const call = { method: 'POST', token, body: { metadata: { name }, spec: { team: 'red' } } } as const;
        const made = await bench.send(server, `${groupPath}/ownedaccesskeys`, call);
        expect(made.code, made.text).toBe(201);
        return textAt(made.json, 'spec', 'key');
      };
      const token = await make(await make(parent, 'child'), 'grandchild');
      const watch = await bench.request(server, `${groupPath}/ownedaccesskeys?watch=true`, { token });
      expect(watch.statusCode).toBe(200);
      await change(server, clock);
      await watch.body.text();
      expect((await bench.send(server, `${groupPath}/ownedaccesskeys`, { token })).code).toBe(401);
    },
  );

  it.each(['while it runs', 'after a restart'])(
    'are removed from lists with the key they were created with, across all generations, %s',
    async (when) => {
      let server = await bench.start();
      const parent = await bench.createKey(server, 'parent');
      const make = async (token: string, name: string): Promise<string> => {
        const call = { method: 'POST', token, body: { metadata: { name } } } as const;
        return textAt((await bench.send(server, `${groupPath}/ownedaccesskeys`, call)).json, 'spec', 'key');
      };
      await make(await make(parent, 'child'), 'grandchild');
      await bench.createKey(server, 'other');
      if (when === 'while it runs') {
        await bench.send(server, `${groupPath}/accesskeys/parent`, { method: 'DELETE' });
      } else {
        await bench.stop(server);
        const store = await bench.openStore();
        const key = objectRowKey('management', resourceKey(accessKeyKind), '', 'parent');
        await store.transact({ checks: [], writes: [{ key, value: undefined }] });
        await store.close();
        server = await bench.start();
      }
      const events = eventsOf(await bench.request(server, `${groupPath}/accesskeys?watch=true&resourceVersion=1`));
      for (const name of ['child', 'grandchild']) {
        await until(
          events,
          (event) => textAt(event, 'type') === 'DELETED' && textAt(event, 'object', 'metadata', 'name') === name,
        );
      }
      expect(await bench.names(server, 'accesskeys')).toEqual(['admin', 'other']);
    },
  );

  it('are deleted with their user, and do not work for a later user of the same name', async () => {
    const server = await bench.start();
    await bench.createObject(server, 'users', 'anna');
    const token = await bench.createKey(server, 'mine', { user: 'anna' });
    const use = async () => (await bench.send(server, `${groupPath}/ownedaccesskeys`, { token })).code;
    expect(await use()).toBe(200);
    expect((await bench.send(server, `${groupPath}/users/anna`, { method: 'DELETE' })).code).toBe(200);
    await bench.createObject(server, 'users', 'anna');
    expect(await use()).toBe(401);
    const watch = await bench.request(server, `${groupPath}/accesskeys?watch=true&resourceVersion=1`);
    await until(
      eventsOf(watch),
      (event) => textAt(event, 'type') === 'DELETED' && textAt(event, 'object', 'metadata', 'name') === 'mine',
    );
  });

  it('are deleted with their user even if the server stopped in between', async () => {
    const server = await bench.start();
    await bench.createObject(server, 'users', 'anna');
    await bench.createKey(server, 'mine', { user: 'anna' });
    await bench.createKey(server, 'other');
    await bench.stop(server);
    const store = await bench.openStore();
    const user = objectRowKey('management', resourceKey(userKind), '', 'anna');
    await store.transact({ checks: [], writes: [{ key: user, value: undefined }] });
    await store.close();
    const again = await bench.start();
    const watch = await bench.request(again, `${groupPath}/accesskeys?watch=true&resourceVersion=1`);
    await until(
      eventsOf(watch),
      (event) => textAt(event, 'type') === 'DELETED' && textAt(event, 'object', 'metadata', 'name') === 'mine',
    );
    expect(await bench.names(again, 'accesskeys')).toEqual(['admin', 'other']);
  });

  it('record their first use within a second, later uses once a minute, and the last one at shutdown', async () => {
    const clock = new ManualClock();
    const server = await bench.start({}, clock);
    const token = await bench.createKey(server, 'mine');
    const path = `${groupPath}/accesskeys/mine`;
    const made = (await bench.send(server, path)).json;
    const watch = await bench.request(server, `${groupPath}/accesskeys?watch=true&fieldSelector=metadata.name%3Dmine`);
    const events = eventsOf(watch);
    const lastActivity = (time: string) => (event: JsonValue) =>
      textAt(event, 'object', 'status', 'lastActivity') === time;
    const use = () => bench.send(server, '/kubernetes/management/version', { token });
    await use();
    clock.advance(999);
    await until(events, lastActivity('2026-01-01T00:00:00Z'));
    const first = (await bench.send(server, path)).json;
    expect(valueAt(first, 'metadata', 'generation')).toBe(valueAt(made, 'metadata', 'generation'));
    for (let second = 1; second < 59; second++) {
      await use();
      clock.advance(1000);
    }
    expect((await bench.send(server, path)).json).toEqual(first);
    clock.advance(2000);
    await until(events, lastActivity('2026-01-01T00:00:57Z'));

    await use();
    await bench.stop(server);
    const again = await bench.start({}, clock);
    expect(textAt((await bench.send(again, path)).json, 'status', 'lastActivity')).toBe('2026-01-01T00:01:00Z');
  });

  it.each(['while it runs', 'after a restart'])(
    'stay visible for seven days after their expiry, then are removed %s',
    async (when) => {
      const clock = new ManualClock();
      let server = await bench.start({}, clock);
      await bench.createKey(server, 'mine', { ttl: 60 });
      await bench.createKey(server, 'moved', { ttl: 60, ttlAfterLastActivity: true });
      const path = `${groupPath}/accesskeys`;
      clock.advance(60_000 + week - 1000);
      expect((await bench.send(server, `${path}/mine`)).code).toBe(200);
      const revision = textAt((await bench.send(server, path)).json, 'metadata', 'resourceVersion');
      if (when === 'after a restart') await bench.stop(server);
      clock.advance(1000);
      if (when === 'after a restart') server = await bench.start({}, clock);
      const watch = await bench.request(server, `${path}?watch=true&resourceVersion=${revision}`);
      await until(
        eventsOf(watch),
        (event) => textAt(event, 'type') === 'DELETED' && textAt(event, 'object', 'metadata', 'name') === 'mine',
      );
      expect((await bench.send(server, `${path}/mine`)).code).toBe(404);
    },
  );

  itExceptOnEtcd(
    'are removed seven days after an expiry that was extended by activity',
    'a clock that jumps pauses the background work of a replica',
    async () => {
      const clock = new ManualClock();
      const server = await bench.start({}, clock);
      const token = await bench.createKey(server, 'mine', { ttl: 60, ttlAfterLastActivity: true });
      await bench.createKey(server, 'other', { ttl: 80 });
      const path = `${groupPath}/accesskeys`;
      const watch = await bench.request(server, `${path}?watch=true`);
      const events = eventsOf(watch);
      clock.advance(50_000);
      await bench.send(server, '/kubernetes/management/version', { token });
      clock.advance(1000);
      await until(events, (event) => textAt(event, 'object', 'status', 'lastActivity') === '2026-01-01T00:00:50Z');
      const removal = async (name: string, milliseconds: number): Promise<void> => {
        const revision = textAt((await bench.send(server, path)).json, 'metadata', 'resourceVersion');
        clock.advance(milliseconds);
        const isGone = (event: JsonValue) =>
          textAt(event, 'type') === 'DELETED' && textAt(event, 'object', 'metadata', 'name') === name;
        await until(eventsOf(await bench.request(server, `${path}?watch=true&resourceVersion=${revision}`)), isGone);
      };
      await removal('other', 29_000 + week);
      expect((await bench.send(server, `${path}/mine`)).code).toBe(200);
      await removal('mine', 30_000);
    },
  );

  it('are shown in a table with their status', async () => {
    const clock = new ManualClock();
    const server = await bench.start({}, clock);
    await bench.createObject(server, 'users', 'anna');
    await bench.createObject(server, 'teams', 'red');
    await bench.createKey(server, 'ended', { user: 'anna', displayName: 'Ended', ttl: 60 });
    await bench.createKey(server, 'off', { team: 'red', type: 'Other', disabled: true });
    await bench.createKey(server, 'on', { user: 'anna' });
    clock.advance(60_000);
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const response = await bench.request(server, `${groupPath}/accesskeys`, {}, { accept });
    const table = JSON.parse(await response.body.text());
    expect(listAt(table, 'columnDefinitions').map((column) => textAt(column, 'name'))).toEqual([
      'Name',
      'Display Name',
      'User',
      'Team',
      'Type',
      'Status',
      'Expires',
      'Created By',
      'Last Activity',
      'Age',
      'Notice',
    ]);
    const cells = listAt(table, 'rows').map((row) => listAt(row, 'cells'));
    expect(cells.map((row) => row.slice(0, 7)).filter(([name]) => name !== 'admin')).toEqual([
      ['ended', 'Ended', 'anna', null, 'User', 'Expired', '2026-01-01T00:01:00Z'],
      ['off', null, null, 'red', 'Other', 'Disabled', 'never'],
      ['on', null, 'anna', null, 'User', 'Active', 'never'],
    ]);
  });

  it('stay active while they are used, if they expire by inactivity', async () => {
    const clock = new ManualClock();
    const server = await bench.start({}, clock);
    const token = await bench.createKey(server, 'mine', { ttl: 30, ttlAfterLastActivity: true });
    const use = async () => (await bench.send(server, '/kubernetes/management/version', { token })).code;
    for (let round = 0; round < 5; round++) {
      expect(await use(), `round ${round}`).toBe(200);
      clock.advance(20_000);
    }
    clock.advance(11_000);
    expect(await use()).toBe(401);
  });

  itExceptOnEtcd('appear in plain text in no file of the server', 'its files contain no objects', async () => {
    const server = await bench.start();
    const token = await bench.createKey(server, 'mine');
    await bench.send(server, `${groupPath}/users?token=${token}`, { token });
    await bench.stop(server);
    const texts = [await bench.read('audit.log')];
    const store = bench.file('store');
    for (const name of await readdir(store)) texts.push(await readFile(join(store, name), 'latin1'));
    expect(texts.join('').length).toBeGreaterThan(1000);
    for (const text of texts) expect(text.includes(token)).toBe(false);
  });
});
