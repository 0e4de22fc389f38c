import { type JsonObject, listAt, textAt } from '@flotilla/json';
import type { Dispatcher } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../lib/clock.ts';
import { readLines } from '../lib/read-lines.ts';
import { groupPath, mergePatch, ServerTestEnv } from './server.fixture.ts';
import type { RunningServer } from './start-server.ts';

const hour = 3_600_000;

let bench: ServerTestEnv;
let clock: ManualClock;
let server: RunningServer;
beforeEach(async () => {
  bench = await ServerTestEnv.open();
  // Starts at the real time, because the client's TLS checks certificates against the clock of the machine.
  clock = new ManualClock(Date.now());
  server = await bench.start({}, clock);
});
afterEach(() => bench.close());

/** Changes the wall clock by `by`. Then advances a second, so all timers notice the change. */
async function setClock(by: number): Promise<void> {
  clock.setWall(by);
  clock.advance(1_000);
  await new Promise((resolve) => setImmediate(resolve));
}

async function revision(): Promise<number> {
  return Number(textAt((await bench.send(server, `${groupPath}/teams`)).json, 'metadata', 'resourceVersion'));
}

function watchTeams(token?: string, since?: number): Promise<Dispatcher.ResponseData> {
  const path = `${groupPath}/teams?watch=true${since === undefined ? '' : `&resourceVersion=${since}`}`;
  return bench.request(server, path, token === undefined ? {} : { token });
}

async function nextNames(lines: AsyncIterator<string>, count: number): Promise<string[]> {
  const names: string[] = [];
  while (names.length < count) {
    const { value, done } = await lines.next();
    if (done === true) throw new Error('the watch has ended');
    names.push(textAt(JSON.parse(value), 'object', 'metadata', 'name'));
  }
  return names;
}

describe.each([
  ['forward', hour],
  ['back', -hour],
])('a clock that is set %s by an hour', (_direction, by) => {
  it('ends no watch, loses no event, and keeps resource versions increasing', async () => {
    const first = await revision();
    const watch = readLines((await watchTeams(undefined, first)).body)[Symbol.asyncIterator]();
    const before = await bench.createObject(server, 'teams', 'before');
    await setClock(by);
    const after = await bench.createObject(server, 'teams', 'after');
    const changed = await bench.send(server, `${groupPath}/teams/before`, mergePatch({ spec: { displayName: 'x' } }));
    expect(changed.code).toBe(200);
    expect(await nextNames(watch, 3)).toEqual(['before', 'after', 'before']);

    const versions = [before, after, changed.json].map((each) => Number(textAt(each, 'metadata', 'resourceVersion')));
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
    expect(new Set([first, ...versions]).size).toBe(4);
    const made = (each: JsonObject) => Date.parse(textAt(each, 'metadata', 'creationTimestamp'));
    expect(made(after) - made(before)).toBeGreaterThanOrEqual(by);
    expect(made(after) - made(before)).toBeLessThan(by + 3_000);
    expect(made(changed.json)).toBe(made(before));

    // A watch that resumes from before the clock change receives all missed events.
    const resumed = readLines((await watchTeams(undefined, first)).body)[Symbol.asyncIterator]();
    expect(await nextNames(resumed, 3)).toEqual(['before', 'after', 'before']);
  });

  it('does not delay deletions', async () => {
    const finalizers = ['example.com/wait'];
    const body = { metadata: { name: 'held', finalizers } };
    expect((await bench.send(server, `${groupPath}/teams`, { method: 'POST', body })).code).toBe(201);
    expect((await bench.send(server, `${groupPath}/teams/held`, { method: 'DELETE' })).code).toBe(200);
    expect((await bench.send(server, `${groupPath}/teams/held`)).code).toBe(200);
    await setClock(by);
    await bench.send(server, `${groupPath}/teams/held`, mergePatch({ metadata: { finalizers: null } }));
    expect((await bench.send(server, `${groupPath}/teams/held`)).code).toBe(404);
  });

  it('expires keys and their watches by the new time, and no others', async () => {
    const short = await bench.createKey(server, 'short', { ttl: 1_800 });
    const long = await bench.createKey(server, 'long', { ttl: 7_200 });
    const since = await revision();
    const watches = { short: await watchTeams(short, since), long: await watchTeams(long, since) };
    const shortEnded = watches.short.body.text();
    const longLines = readLines(watches.long.body)[Symbol.asyncIterator]();
    await setClock(by);
    const code = async (token: string) => (await bench.send(server, `${groupPath}/teams`, { token })).code;
    expect([await code(short), await code(long)]).toEqual([by > 0 ? 401 : 200, 200]);
    if (by > 0) expect(await shortEnded).not.toContain('"type":"ADDED"');
    await bench.createObject(server, 'teams', 'after');
    expect(await nextNames(longLines, 1)).toEqual(['after']);
    if (by < 0) {
      // The clock was set back by an hour, so the key lives an hour longer than its lifetime.
      clock.advance(hour + 1_800_000 - 2_000);
      expect(await code(short)).toBe(200);
      clock.advance(2_000);
      expect(await code(short)).toBe(401);
      expect(await shortEnded).toContain('after');
    }
  });

  it('does not affect a start: all data exists, and the certificate is valid', async () => {
    await bench.createObject(server, 'teams', 'before');
    const last = await revision();
    await bench.stop(server);
    clock.setWall(by);
    server = await bench.start({}, clock);
    expect(await bench.names(server, 'teams')).toEqual(['before']);
    const { metadata } = (await bench.createObject(server, 'teams', 'after')) as {
      metadata: { resourceVersion: string };
    };
    expect(Number(metadata.resourceVersion)).toBeGreaterThan(last);
    const resumed = readLines((await watchTeams(undefined, last)).body)[Symbol.asyncIterator]();
    expect(await nextNames(resumed, 1)).toEqual(['after']);
    const { json } = await bench.send(server, `${groupPath}/users`);
    expect(listAt(json, 'items').length).toBeGreaterThan(0);
  });
});
