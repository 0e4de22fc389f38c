import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Dispatcher } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../lib/clock.ts';
import { textAt } from '../lib/json-path.ts';
import type { JsonValue } from '../lib/json-value.ts';
import { linesOf } from '../lib/lines.ts';
import { type Answer, groupPath, mergePatch, ServerBench } from './server.fixture.ts';
import type { RunningServer } from './start-server.ts';

let bench: ServerBench;
beforeEach(async () => {
  bench = await ServerBench.open();
});
afterEach(() => bench.close());

/** Reads a watch until an event passes the test; rejects if the stream ends before. */
async function eventThat(watch: Dispatcher.ResponseData, test: (event: JsonValue) => boolean): Promise<void> {
  for await (const line of linesOf(watch.body)) if (test(JSON.parse(line))) return;
  throw new Error('the watch ended before the event came');
}

describe('rights', () => {
  it('refuse what only admins may, and status writes also to them', async () => {
    const server = await bench.start();
    await bench.make(server, 'users', 'anna');
    const token = await bench.makeKey(server, 'annas', { user: 'anna' });
    for (const path of [`${groupPath}/users`, `${groupPath}/accesskeys`, '/metrics', '/backup']) {
      expect((await bench.ask(server, path, { token })).code, path).toBe(403);
    }
    expect((await bench.ask(server, `${groupPath}/ownedaccesskeys/annas`, { token })).code).toBe(200);
    expect((await bench.ask(server, `${groupPath}/ownedaccesskeys/admin`, { token })).code).toBe(404);
    const patch = mergePatch({ status: { phase: 'Failed' } });
    expect((await bench.ask(server, `${groupPath}/clusters/local/status`, patch)).code).toBe(403);
  });

  it('are for a key with a scope never wider than its scope', async () => {
    const server = await bench.start();
    const token = await bench.makeKey(server, 'narrow', { scope: { projects: [{ project: 'default' }] } });
    for (const path of [`${groupPath}/users`, `${groupPath}/ownedaccesskeys`, '/backup', '/metrics']) {
      expect((await bench.ask(server, path, { token })).code, path).toBe(403);
    }
  });
});

describe('access keys', () => {
  const changes: [string, (server: RunningServer) => Promise<Answer>][] = [
    [
      'disabled',
      (server) => bench.ask(server, `${groupPath}/accesskeys/mine`, mergePatch({ spec: { disabled: true } })),
    ],
    ['deleted', (server) => bench.ask(server, `${groupPath}/accesskeys/mine`, { method: 'DELETE' })],
    [
      'given another value',
      (server) =>
        bench.ask(
          server,
          `${groupPath}/accesskeys/mine`,
          mergePatch({ spec: { key: 'another-value-0123456789-abcdefghij' } }),
        ),
    ],
    [
      'given a scope',
      (server) =>
        bench.ask(
          server,
          `${groupPath}/accesskeys/mine`,
          mergePatch({ spec: { scope: { projects: [{ project: 'default' }] } } }),
        ),
    ],
    [
      'left with a disabled user',
      (server) => bench.ask(server, `${groupPath}/users/anna`, mergePatch({ spec: { disabled: true } })),
    ],
    ['left without their user', (server) => bench.ask(server, `${groupPath}/users/anna`, { method: 'DELETE' })],
    [
      'given other groups through their user',
      (server) => bench.ask(server, `${groupPath}/users/anna`, mergePatch({ spec: { groups: ['another'] } })),
    ],
  ];
  it.each(changes)('end their watches once they are %s', async (what, change) => {
    const server = await bench.start();
    await bench.make(server, 'users', 'anna');
    const token = await bench.makeKey(server, 'mine', { user: 'anna' });
    const watch = await bench.request(server, `${groupPath}/ownedaccesskeys?watch=true`, { token });
    expect(watch.statusCode).toBe(200);
    const ended = watch.body.text();
    const changed = await change(server);
    expect(changed.code, changed.text).toBe(200);
    await ended;
    const after = (await bench.ask(server, `${groupPath}/ownedaccesskeys`, { token })).code;
    expect(after).toBe(what === 'given a scope' ? 403 : what.includes('groups') ? 200 : 401);
  });

  it('show their first use inside a second', async () => {
    const clock = new ManualClock();
    const server = await bench.start({}, clock);
    const token = await bench.makeKey(server, 'mine');
    const watch = await bench.request(server, `${groupPath}/accesskeys?watch=true&fieldSelector=metadata.name%3Dmine`);
    await bench.ask(server, '/kubernetes/management/version', { token });
    clock.advance(999);
    await eventThat(watch, (event) => textAt(event, 'object', 'status', 'lastActivity') === '2026-01-01T00:00:00Z');
  });

  it('live on while they are used, if their end counts from the last activity', async () => {
    const clock = new ManualClock();
    const server = await bench.start({}, clock);
    const token = await bench.makeKey(server, 'mine', { ttl: 30, ttlAfterLastActivity: true });
    const use = async () => (await bench.ask(server, '/kubernetes/management/version', { token })).code;
    for (let round = 0; round < 5; round++) {
      expect(await use(), `round ${round}`).toBe(200);
      clock.advance(20_000);
    }
    clock.advance(11_000);
    expect(await use()).toBe(401);
  });

  it('appear nowhere in what the server keeps', async () => {
    const server = await bench.start();
    const token = await bench.makeKey(server, 'mine');
    await bench.ask(server, `${groupPath}/users?token=${token}`, { token });
    await bench.stop(server);
    const texts = [await bench.read('audit.log')];
    const store = bench.file('store');
    for (const name of await readdir(store)) texts.push(await readFile(join(store, name), 'latin1'));
    expect(texts.join('').length).toBeGreaterThan(1000);
    for (const text of texts) expect(text.includes(token)).toBe(false);
  });
});
