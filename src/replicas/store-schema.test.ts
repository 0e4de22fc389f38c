import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../lib/log.ts';
import { Registration } from './registration.ts';
import { memberKey, readReplicaRows } from './replica-rows.ts';
import { settle, TestReplicas } from './replicas.fixture.ts';
import { SchemaUpgrade } from './schema-upgrade.ts';
import { leaderTerm, preferredReplica } from './shards.ts';
import { parseSchema, readSchema, schemaKey, schemaProblem } from './store-schema.ts';

let env: TestReplicas;
beforeEach(() => {
  env = new TestReplicas();
});
afterEach(() => env.crashAll());

const schema = async () => (await readSchema(env.store)).schema;
const setSchema = (value: string) => env.store.transact({ writes: [{ key: schemaKey, value }] });

describe('the schema of a store', () => {
  it('is 1 without a row, and cannot be read from a damaged one', () => {
    expect(parseSchema(undefined)).toEqual({ schema: 1, revision: undefined });
    expect(parseSchema({ value: '12', revision: 5 })).toEqual({ schema: 12, revision: 5 });
    for (const value of ['', '0', '-1', '1.5', '{}', '99999999999'])
      expect(parseSchema({ value, revision: 5 }).schema).toBeNaN();
  });

  it('must be one that the program supports', () => {
    expect(schemaProblem(1, [1, 2])).toBeUndefined();
    expect(schemaProblem(2, [1, 2])).toBeUndefined();
    expect(schemaProblem(3, [1, 2])).toMatch(
      /^the store has schema 3, and this version of Flotilla \(.*\) supports schemas 1 to 2; .* start a newer version$/,
    );
    expect(schemaProblem(1, [2, 2])).toMatch(
      /supports schema 2; first run a version that supports schema 1 and schema 2/,
    );
    expect(schemaProblem(Number.NaN, [1, 2])).toMatch(/damaged/);
  });
});

describe('replicas of two versions', () => {
  it('run side by side, and the schema is raised only after the old one has left', async () => {
    const old = env.start('old', [1, 1]);
    await env.until(() => old.owns(leaderTerm));
    const next = env.start('next', [1, 2]);
    await env.advance(30_000);
    expect([old.tenure, next.tenure]).not.toContain(undefined);
    expect(await schema()).toBe(1);
    expect(old.messages.filter((message) => message.includes('schema'))).toEqual([
      'other replicas support schema 2; upgrade this replica or stop it',
    ]);
    await old.replicas.close();
    await env.until(() => next.owns(leaderTerm));
    await env.advance(1_000);
    expect(await schema()).toBe(2);
  });

  it('are reported by a leader that could raise the schema', async () => {
    const first = env.start('first', [1, 1]);
    await env.until(() => first.owns(leaderTerm));
    const [name, other] = preferredReplica(leaderTerm, ['p', 'q']) === 'p' ? ['p', 'q'] : ['q', 'p'];
    const leader = env.start(name, [1, 2]);
    env.start(other, [1, 1]);
    await env.advance(2_000);
    await first.replicas.close();
    await env.until(() => leader.owns(leaderTerm));
    await env.advance(20_000);
    expect(leader.messages.filter((message) => message.includes('schema'))).toEqual([
      'these replicas do not support schema 2, so the store does not use it yet; upgrade or stop them',
    ]);
    expect(await schema()).toBe(1);
  });

  it('all raise the schema to the highest one that they have in common', async () => {
    env.start('a', [1, 3]);
    env.start('b', [1, 2]);
    await env.advance(3_000);
    expect(await schema()).toBe(2);
  });

  it('never lower it', async () => {
    await setSchema('3');
    env.start('a', [1, 5]);
    env.start('b', [2, 4]);
    await env.advance(3_000);
    expect(await schema()).toBe(4);
    const c = env.start('c', [1, 3]);
    await env.advance(10_000);
    expect(c.tenure).toBeUndefined();
    expect(await schema()).toBe(4);
  });

  it('do no work if the schema was raised while they were paused', async () => {
    const old = env.start('old', [1, 1]);
    await env.until(() => old.owns(leaderTerm));
    const next = env.start('next', [1, 2]);
    await env.until(() => next.tenure !== undefined);
    old.pause();
    await env.until(() => next.owns(leaderTerm));
    await env.advance(1_000);
    expect(await schema()).toBe(2);
    old.resume();
    await env.advance(20_000);
    expect(old.tenure).toBeUndefined();
    expect((await readReplicaRows(env.store)).members.has('old')).toBe(false);
    const refusals = old.messages.filter((message) => message.startsWith('this server does no background work'));
    expect(refusals).toEqual([expect.stringContaining('the store has schema 2')]);
  });
});

describe('a replica that registers while the schema is raised', () => {
  const details = (schemas: readonly [number, number]) => () =>
    ({ version: '1.0.0', schemas, address: '', settings: '' }) as const;

  async function register(id: string, schemas: readonly [number, number]): Promise<Registration> {
    const { store, clock } = env;
    const registration = new Registration({ id, details: details(schemas), store, clock });
    await registration.register({ key: schemaKey, revision: (await readSchema(store)).revision });
    return registration;
  }

  it('prevents it if it was faster', async () => {
    const { store } = env;
    const leader = await register('next', [1, 2]);
    const rows = await readReplicaRows(store);
    await register('old', [1, 1]);
    const upgrade = new SchemaUpgrade({ id: 'next', store, log: silentLog });
    await upgrade.raise(rows, leader.check);
    expect(await schema()).toBe(1);
    await upgrade.raise(await readReplicaRows(store), leader.check);
    expect(await schema()).toBe(1);
  });

  it('is refused if it was slower', async () => {
    const { store, clock } = env;
    const leader = await register('next', [1, 2]);
    const known = await readSchema(store);
    await new SchemaUpgrade({ id: 'next', store, log: silentLog }).raise(await readReplicaRows(store), leader.check);
    expect(await schema()).toBe(2);
    const late = new Registration({ id: 'old', details: details([1, 1]), store, clock });
    const registering = late.register({ key: schemaKey, revision: known.revision });
    await expect(registering).rejects.toMatchObject({ code: 'CheckFailed' });
    expect(await store.get(memberKey('old'))).toBeUndefined();
  });

  it('does not raise it after it was expelled itself', async () => {
    const { store } = env;
    const leader = await register('next', [1, 2]);
    const rows = await readReplicaRows(store);
    await store.transact({ writes: [{ key: memberKey('next'), value: undefined }] });
    await new SchemaUpgrade({ id: 'next', store, log: silentLog }).raise(rows, leader.check);
    await settle();
    expect(await schema()).toBe(1);
  });
});
