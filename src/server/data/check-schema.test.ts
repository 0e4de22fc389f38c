import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { readSchema, schemaKey } from '../../replicas/store-schema.ts';
import { openMemoryStore } from '../../store/memory.ts';
import { gatedStore } from '../../store/replicas.fixture.ts';
import type { DumpRow, Store } from '../../store/store.ts';
import { ReplicasTestEnv, type ServerReplica } from '../replicas.fixture.ts';
import { groupPath, ServerTestEnv } from '../server.fixture.ts';
import { assertSupportedSchema, raiseSchema } from './check-schema.ts';
import { supportedSchemas } from './supported-schemas.ts';

const [lowest, highest] = supportedSchemas;
const newer = highest + 1;
const setSchema = (store: Store, value: number) =>
  store.transact({ writes: [{ key: schemaKey, value: String(value) }] });

describe('a server whose store was upgraded by newer servers', () => {
  let clock: ManualClock;
  let at: ReplicasTestEnv;
  let second: ServerReplica;
  beforeEach(async () => {
    clock = new ManualClock();
    at = await ReplicasTestEnv.open(clock);
    ({ second } = at);
  });
  afterEach(() => at.close());

  it('refuses requests and ends watches, and /readyz fails', async () => {
    expect(await second.code('/readyz/schema', '')).toBe(200);
    const watch = await second.bench.request(second.server, `${groupPath}/projects?watch=true`);
    await setSchema(at.shared, newer);
    const refused = await second.send(`${groupPath}/projects`);
    expect([refused.code, refused.json.message]).toEqual([
      503,
      expect.stringContaining(`the store has schema ${newer}, and this version of Flotilla`),
    ]);
    expect(await watch.body.text()).toContain('"code":503');
    expect(await second.code('/readyz/schema', '')).toBe(500);
    expect(await second.code('/readyz', '')).toBe(500);
    expect(await second.code('/livez', '')).toBe(200);
  });

  it('asks the store before it serves the first request after a pause', async () => {
    second.gate.hold();
    await setSchema(at.shared, newer);
    clock.advance(60_000);
    expect(await second.code(`${groupPath}/projects`)).toBe(503);
  });

  it('does not start if its version is older, and writes nothing', async () => {
    await setSchema(at.shared, newer);
    const before = await rowsOf(at.shared);
    const bench = await ServerTestEnv.open();
    // The failed start must not close the store, because other servers share it.
    bench.store = new Proxy(gatedStore(at.shared).store, {
      get: (target, name) => (name === 'close' ? async () => {} : Reflect.get(target, name)),
    });
    await expect(bench.start({}, clock)).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringMatching(new RegExp(`^the store has schema ${newer}, [^\n]*; .* start a newer version$`)),
    });
    expect(await rowsOf(at.shared)).toEqual(before);
    await bench.close();
  });
});

async function rowsOf(store: Store): Promise<DumpRow[]> {
  const rows: DumpRow[] = [];
  for await (const row of store.dump()) rows.push(row);
  return rows;
}

describe('a store that one server uses', () => {
  it('is upgraded when the server starts', async () => {
    const store = openMemoryStore();
    await raiseSchema(store);
    expect((await readSchema(store)).schema).toBe(highest);
    await setSchema(store, newer);
    await raiseSchema(store);
    expect((await readSchema(store)).schema).toBe(newer);
  });

  it('is refused if the program is too old or too new for it', async () => {
    const store = openMemoryStore();
    for (const schema of supportedSchemas) {
      await setSchema(store, schema);
      await assertSupportedSchema(store);
    }
    await setSchema(store, newer);
    await expect(assertSupportedSchema(store)).rejects.toThrow(`the store has schema ${newer}`);
    await setSchema(store, lowest - 1);
    await expect(assertSupportedSchema(store)).rejects.toThrow(/damaged|first run a version/);
  });
});
