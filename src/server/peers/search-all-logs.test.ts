import { flagAt, listAt, textAt } from '@flotilla/json';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AuditEventList } from '../../api/audit/audit-event.ts';
import { type AuditQuery, writeAuditQuery } from '../../api/audit/audit-query.ts';
import { ManualClock } from '../../lib/clock.ts';
import { type MemberRow, memberKey, readReplicaRows } from '../../replicas/replica-rows.ts';
import { ReplicasTestEnv, type ServerReplica } from '../replicas.fixture.ts';

let clock: ManualClock;
let env: ReplicasTestEnv;
let first: ServerReplica;
let second: ServerReplica;

beforeEach(async () => {
  clock = new ManualClock();
  env = await ReplicasTestEnv.open(clock);
  ({ first, second } = env);
  for (let turn = 0; (await readReplicaRows(env.shared)).members.size < 2; turn++) {
    expect(turn).toBeLessThan(100);
    await pass(100);
  }
});
afterEach(() => env.close());

/** Advances the clock in small steps, so heartbeats arrive between the steps. */
async function pass(milliseconds: number): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += 100) {
    clock.advance(100);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function idOf(replica: ServerReplica): Promise<string> {
  const { json } = await replica.send('/replicas');
  const own = listAt(json, 'items').find((item) => flagAt(item, 'isThis'));
  return textAt(own, 'name');
}

async function search(replica: ServerReplica, query: AuditQuery = {}): Promise<AuditEventList> {
  const search = writeAuditQuery({ resource: 'users', verb: 'create', stage: 'ResponseComplete', ...query });
  const { code, text } = await replica.send(`/audit?${search}`);
  expect(code, text).toBe(200);
  return JSON.parse(text) as AuditEventList;
}

const namesIn = ({ items }: AuditEventList) => items.map(({ objectRef }) => objectRef?.name);

/** Creates users, alternately at both replicas. Returns their names, newest first. */
async function createUsers(count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, index) => `user-${index}`);
  for (const [index, name] of names.entries()) {
    const { bench, server } = index % 2 === 0 ? first : second;
    await bench.createObject(server, 'users', name);
    await pass(1_000);
  }
  return names.reverse();
}

it('a search finds the lines of all replicas at each of them, newest first', async () => {
  const names = await createUsers(8);
  for (const replica of [first, second]) {
    const list = await search(replica);
    expect(namesIn(list)).toEqual(names);
    expect(list.metadata).toEqual({ reached: expect.any(String) });
  }
});

it('a search can be continued at another replica', async () => {
  const names = await createUsers(8);
  const found: (string | undefined)[] = [];
  let next: string | undefined;
  for (let page = 0; page === 0 || next !== undefined; page++) {
    const list = await search(page % 2 === 0 ? first : second, {
      limit: 3,
      ...(next === undefined ? {} : { continue: next }),
    });
    found.push(...namesIn(list));
    next = list.metadata.continue;
    expect(list.metadata.incomplete).toBeUndefined();
    // The search does not return lines that are written after its first page.
    await first.bench.createObject(first.server, 'users', `later-${page}`);
    expect(page).toBeLessThan(10);
  }
  expect(found).toEqual(names);
});

it('an invalid position is rejected with 400', async () => {
  expect((await first.send('/audit?continue=nonsense')).code).toBe(400);
});

it('a search names a replica that was shut down, unless the search begins later', async () => {
  const id = await idOf(second);
  await createUsers(4);
  await second.bench.stop(second.server);
  const list = await search(first);
  expect(namesIn(list)).toEqual(['user-2', 'user-0']);
  expect(list.metadata.incomplete).toEqual([
    { replica: id, reason: expect.stringMatching(/^it has been shut down since 2026-01-01T00:00:\d\dZ$/) },
  ]);
  await pass(10_000);
  clock.advance(6 * 60_000);
  await pass(1_000);
  const since = new Date(clock.now()).toISOString();
  expect((await search(first, { since })).metadata.incomplete).toBeUndefined();
});

it('a search names replicas that cannot be asked, and does not ask them again in the same search', async () => {
  const names = await createUsers(4);
  const { members } = await readReplicaRows(env.shared);
  const member = members.get(await idOf(second))?.row;
  const register = (id: string, peerAddress: string | undefined) => {
    const row = { ...member, registration: id, peerAddress } as MemberRow;
    return env.shared.transact({ writes: [{ key: memberKey(id), value: JSON.stringify(row) }] });
  };
  await register('closed', '127.0.0.1:1');
  await register('impostor', member?.peerAddress);
  await register('older', undefined);
  const list = await search(first, { limit: 3 });
  expect(namesIn(list)).toEqual(names.slice(0, 3));
  expect(list.metadata.incomplete).toEqual([
    { replica: 'closed', reason: 'it cannot be reached at 127.0.0.1:1 (ECONNREFUSED)' },
    { replica: 'impostor', reason: expect.stringContaining('ERR_TLS_CERT_ALTNAME_INVALID') },
    { replica: 'older', reason: expect.stringContaining('does not accept searches from other replicas') },
  ]);
  await register('newer', '127.0.0.1:1');
  const rest = await search(first, { limit: 3, continue: list.metadata.continue ?? '' });
  expect(namesIn(rest)).toEqual(names.slice(3));
  const again = 'it did not respond earlier in this search; start a new search';
  expect(rest.metadata.incomplete).toEqual([
    { replica: 'closed', reason: again },
    { replica: 'impostor', reason: again },
    { replica: 'newer', reason: 'it was started after this search; start a new search' },
    { replica: 'older', reason: again },
  ]);
});
