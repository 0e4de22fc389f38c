import { textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../lib/clock.ts';
import { silentLog } from '../../../lib/log.ts';
import { openSealer } from '../../../seal/open-sealer.ts';
import { openMemoryStore } from '../../../store/memory.ts';
import type { Store } from '../../../store/store.ts';
import { GrantRows, type GrantRowsOptions } from './grant-rows.ts';

interface Value {
  readonly user: string;
}

const sealer = openSealer(new Uint8Array(32).fill(3));
let clock: ManualClock;
let store: Store;
let opened: GrantRows<Value>[];

beforeEach(() => {
  clock = new ManualClock();
  store = openMemoryStore({ clock });
  opened = [];
});
afterEach(() => {
  for (const rows of opened) rows.close();
});

function open(options: Partial<GrantRowsOptions<Value>> = {}): GrantRows<Value> {
  const rows = new GrantRows<Value>({
    ...{ store, sealer, clock, log: silentLog, table: 'test', ttlSeconds: 60, maxPerSource: 5, maxTotal: 6_400 },
    parse: (value) => ({ user: textAt(value, 'user') }),
    ...options,
  });
  opened.push(rows);
  return rows;
}

const anna = { user: 'anna' };
const rowsInStore = async () => (await store.list({ slice: 'grants', prefix: [] })).entries;

async function created(rows: GrantRows<Value>, source = 'here'): Promise<string> {
  const grant = await rows.create(source, anna);
  if (grant === undefined) throw new Error('the grant was not created');
  return grant.code;
}

describe('a grant', () => {
  it('can be read, changed and taken at every replica, and taken only once', async () => {
    const [first, second, third] = [open(), open(), open()];
    const code = await created(first);
    expect(await second.read(code)).toEqual(anna);
    expect(await second.update(code, () => ({ user: 'bob' }))).toEqual({ user: 'bob' });
    expect(await third.update(code, () => undefined)).toBeUndefined();
    const taken = await Promise.all([first, second, third].map((rows) => rows.take(code)));
    expect(taken.filter((value) => value !== undefined)).toEqual([{ user: 'bob' }]);
    expect(await first.read(code)).toBeUndefined();
    expect(await first.update(code, (value) => value)).toBeUndefined();
    expect(await rowsInStore()).toEqual([]);
  });

  it('is changed on its newest value if several replicas change it at the same time', async () => {
    const replicas = [open(), open(), open()];
    const code = await created(open());
    await Promise.all(replicas.map((rows) => rows.update(code, ({ user }) => ({ user: `${user}!` }))));
    expect(await open().read(code)).toEqual({ user: 'anna!!!' });
  });

  it('stays if it is not ready to be taken', async () => {
    const rows = open();
    const code = await created(rows);
    expect(await rows.take(code, ({ user }) => user === 'bob')).toBeUndefined();
    expect(await rows.take(code, ({ user }) => user === 'anna')).toEqual(anna);
  });

  it('ends at its expiry, and its rows are removed later', async () => {
    const rows = open();
    const code = await created(rows);
    clock.advance(59_999);
    expect(await rows.read(code)).toEqual(anna);
    clock.advance(1);
    expect(await rows.read(code)).toBeUndefined();
    expect(await rows.take(code)).toBeUndefined();
    clock.advance(10 * 60_000);
    await expect.poll(rowsInStore).toEqual([]);
  });

  it('belongs to one table', async () => {
    const code = await created(open());
    expect(await open({ table: 'other' }).read(code)).toBeUndefined();
  });

  it('is stored without its code, its source and its value in clear', async () => {
    const code = await created(open(), '192.0.2.1');
    const text = JSON.stringify(await rowsInStore());
    for (const secret of [code, 'anna', '192.0.2.1']) expect(text).not.toContain(secret);
  });
});

describe('the number of grants', () => {
  it('is limited per source; expired and taken ones do not count', async () => {
    const rows = open();
    const codes = [];
    for (let index = 0; index < 5; index++) codes.push(await created(rows));
    expect(await rows.create('here', anna)).toBeUndefined();
    await created(rows, 'elsewhere');
    await rows.take(codes[0] ?? '');
    await created(rows);
    expect(await rows.create('here', anna)).toBeUndefined();
    clock.advance(60_000);
    await created(rows);
    expect(await rowsInStore()).toHaveLength(2 * 2);
  });

  it('is limited in total', async () => {
    const rows = open({ maxTotal: 64 });
    let count = 0;
    for (let index = 0; index < 300; index++) if (await rows.create(`source ${index}`, anna)) count++;
    expect(count).toBeGreaterThan(40);
    expect(count).toBeLessThanOrEqual(64);
  });

  it('does not grow with a code that exists: another one is generated', async () => {
    const codes = ['AAAA', 'AAAA', 'BBBB'];
    const rows = open({ generateCode: () => codes.shift() ?? '' });
    expect([await created(rows), await created(rows)]).toEqual(['AAAA', 'BBBB']);
  });
});
