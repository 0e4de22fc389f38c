import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { appendFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { managementGroup } from '../../src/api/naming.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { ApiCaller } from './api-caller.ts';
import { Disk, refuseWrites, unavailableReason } from './disk.ts';
import { eventually } from './eventually.ts';
import { configMaps } from './hostile-tenant/attack.ts';
import { Tenant } from './hostile-tenant/tenant.ts';
import { WatchCrowd } from './watch-crowd.ts';

const teams = `/apis/${managementGroup}/v1/teams`;
const mebibyte = 1024 * 1024;

const noMemoryDisk = unavailableReason('a full or read-only disk', () => Disk.inMemory(1).remove());
const noFailingDisk = unavailableReason('a disk that fails', () => Disk.thatMayFail(8).remove());
const noRefusal = unavailableReason('a disk that takes no writes for a while', () => {
  const directory = mkdtempSync(join(tmpdir(), 'flotilla-refusing-'));
  try {
    refuseWrites(directory, true);
    refuseWrites(directory, false);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** Starts a server with a watch on its teams. */
async function serve(dataDirectory: string) {
  const server = await startFlotilla({ dataDirectory, args: ['--log-level', 'warn'] });
  undo.push(() => server.stop());
  const caller = await ApiCaller.of(server);
  undo.push(() => caller.close());
  const watch = new WatchCrowd();
  undo.push(() => watch.close());
  const { metadata } = (await caller.get(teams)) as { metadata: { resourceVersion: string } };
  await watch.open(caller, `${teams}?watch=true&resourceVersion=${metadata.resourceVersion}`, { sessions: 1, each: 1 });
  return { server, caller, watch };
}

/** Writes until a write is refused. Returns the names of accepted objects, and the refusal. */
async function fill(caller: ApiCaller, prefix: string): Promise<{ taken: string[]; status: number; text: string }> {
  const taken: string[] = [];
  for (let count = 0; count < 2_000; count++) {
    const name = `${prefix}-${count}`;
    const annotations = { 'example.com/noise': randomBytes(60_000).toString('hex') };
    const { status, text } = await caller.send('POST', teams, { metadata: { name, annotations } });
    if (status !== 201) return { taken, status, text };
    taken.push(name);
  }
  throw new Error('the disk did not fill up');
}

async function names(caller: ApiCaller): Promise<string[]> {
  const { items } = (await caller.get(teams)) as unknown as { items: { metadata: { name: string } }[] };
  return items.map(({ metadata }) => metadata.name).sort();
}

async function namesIn(tenant: Tenant): Promise<string[]> {
  const { status, text } = await tenant.send({ method: 'GET', path: `${tenant.inside}${configMaps}` });
  expect(status, text.slice(0, 500)).toBe(200);
  const { items } = JSON.parse(text) as { items: { metadata: { name: string } }[] };
  return items.map(({ metadata }) => metadata.name).sort();
}

/** Writes in the virtual cluster until a write is refused. Returns the names of all ConfigMaps in it. */
async function fillVirtualCluster(tenant: Tenant): Promise<string[]> {
  const taken = await namesIn(tenant);
  for (let count = 0; count < 2_000; count++) {
    const name = `map-${count}`;
    const data = { noise: randomBytes(60_000).toString('hex') };
    const body = { metadata: { name }, data };
    const { status, text } = await tenant.send({ method: 'POST', path: `${tenant.inside}${configMaps}`, body });
    if (status !== 201) {
      expectRefusal({ status, text }, /^the disk of the data directory is full/, 507);
      return taken.sort();
    }
    taken.push(name);
  }
  throw new Error('the disk did not fill up');
}

/** Fills the disk except for 4 MiB. The store uses space and frees it again while it merges its tables. */
async function fillWithBallast(disk: Disk): Promise<void> {
  const rest = Math.max(0, disk.free() - 4 * mebibyte);
  await appendFile(join(disk.path, 'more-ballast'), Buffer.alloc(rest)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOSPC') throw error;
  });
}

function createSmall(tenant: Tenant) {
  const body = { metadata: { generateName: 'small-' } };
  return tenant.send({ method: 'POST', path: `${tenant.inside}${configMaps}`, body });
}

async function ask(caller: ApiCaller, path: string): Promise<number> {
  return (await caller.send('GET', path)).status;
}

/** Expects a refusal as a Status. Any file may be the first that could not be written. */
function expectRefusal({ status, text }: { status: number; text: string }, message: RegExp, expected = 503): void {
  const reason = expected === 507 ? 'InsufficientStorage' : 'ServiceUnavailable';
  expect(JSON.parse(text)).toMatchObject({ kind: 'Status', code: expected, reason });
  expect(status).toBe(expected);
  expect(JSON.parse(text).message).toMatch(message);
}

async function expectNoFaultIn(server: FlotillaProcess): Promise<void> {
  expect(server.output()).not.toMatch(/unhandled|uncaught|TypeError|panic/i);
}

describe.skipIf(noMemoryDisk !== undefined)('a server whose disk is full', () => {
  it('refuses writes with the reason, serves reads and watches, is not ready, and accepts writes again when there is space', async () => {
    const disk = Disk.inMemory(64);
    undo.push(() => disk.remove());
    const { server, caller, watch } = await serve(join(disk.path, 'data'));
    const ballast = join(disk.path, 'ballast');
    await writeFile(ballast, Buffer.alloc(34 * mebibyte));

    const first = await fill(caller, 'first');
    expectRefusal(first, /^the disk of the data directory is full: \d+ bytes free/, 507);
    expect(first.taken.length).toBeGreaterThan(5);
    expect(await names(caller)).toEqual([...first.taken].sort());
    const small = await eventually(
      30,
      async () => {
        await fillWithBallast(disk);
        return await caller.send('POST', teams, { metadata: { generateName: 'small-' } });
      },
      ({ status }) => status === 507,
    );
    expectRefusal(small, /^the disk of the data directory is full: \d+ bytes free/, 507);
    await eventually(
      30,
      () => ask(caller, '/readyz'),
      (status) => status === 500,
    );
    expect(await ask(caller, '/livez')).toBe(200);
    expect((await caller.send('GET', '/readyz?verbose')).text).toContain('[-]disk failed: reason withheld');
    expect(await names(caller)).toEqual(expect.arrayContaining(first.taken));

    await rm(ballast);
    await eventually(
      30,
      () => ask(caller, '/readyz'),
      (status) => status === 200,
    );
    const held = await names(caller);
    await caller.make(teams, { metadata: { name: 'afterwards' } });
    expect(await names(caller)).toEqual([...held, 'afterwards'].sort());
    await eventually(
      30,
      () => watch.events,
      (events) => events === held.length + 1,
    );
    expect(watch.ended).toBe(0);
    await expectNoFaultIn(server);

    expect(await server.stop()).toBe(0);
    const again = await serve(join(disk.path, 'data'));
    expect(await names(again.caller)).toEqual([...held, 'afterwards'].sort());
  });
});

describe.skipIf(noMemoryDisk !== undefined)('a full disk while virtual clusters run on worker threads', () => {
  it('refuses writes in all of them, serves reads and watches, and accepts writes again when there is space', async () => {
    const disk = Disk.inMemory(96);
    undo.push(() => disk.remove());
    const config = join(disk.path, 'config.yaml');
    await writeFile(config, 'planes: {workers: 2}\n');
    const server = await startFlotilla({
      dataDirectory: join(disk.path, 'data'),
      args: ['--log-level', 'warn', '--config', config],
    });
    undo.push(() => server.stop());
    const admin = await ApiCaller.of(server);
    undo.push(() => admin.close());
    const full = await Tenant.create(admin, { name: 'full', role: 'user' });
    const other = await Tenant.create(admin, { name: 'other', role: 'user' });
    undo.push(() => Promise.all([full.close(), other.close()]));
    await other.make(`${other.inside}${configMaps}`, { metadata: { name: 'before' } });
    const watch = new WatchCrowd();
    undo.push(() => watch.close());
    await watch.open(other, `${configMaps}?watch=1`, { sessions: 1, each: 1, root: other.inside });

    const ballast = join(disk.path, 'ballast');
    await writeFile(ballast, Buffer.alloc(34 * mebibyte));
    const taken = await fillVirtualCluster(full);
    const refusals = await eventually(
      30,
      async () => {
        await fillWithBallast(disk);
        return [await createSmall(full), await createSmall(other)];
      },
      (responses) => responses.every(({ status }) => status === 507),
    );
    for (const refused of refusals) {
      expectRefusal(refused, /^the disk of the data directory is full: \d+ bytes free/, 507);
    }
    const stored = await namesIn(full);
    expect(stored).toEqual(expect.arrayContaining(taken));
    expect(await namesIn(other)).toContain('before');
    expect([await ask(admin, '/livez'), watch.ended]).toEqual([200, 0]);

    await rm(ballast);
    await eventually(
      30,
      () => ask(admin, '/readyz'),
      (status) => status === 200,
    );
    const eventsBefore = watch.events;
    for (const tenant of [full, other]) {
      await tenant.make(`${tenant.inside}${configMaps}`, { metadata: { name: 'afterwards' } });
    }
    await eventually(
      30,
      () => watch.events,
      (events) => events === eventsBefore + 1,
    );
    expect(await namesIn(full)).toEqual(['afterwards', ...stored].sort());
    expect(watch.ended).toBe(0);
    expect(server.output()).not.toMatch(/worker/i);
    await expectNoFaultIn(server);
  });
});

describe.skipIf(noFailingDisk !== undefined)('a server whose disk becomes read-only', () => {
  it('refuses writes, serves reads and watches, is not ready, shuts down cleanly, and starts again from the disk', async () => {
    const disk = Disk.thatMayFail(64);
    undo.push(() => disk.remove());
    const { server, caller, watch } = await serve(join(disk.path, 'data'));
    await caller.make(teams, { metadata: { name: 'before' } });
    await eventually(
      30,
      () => watch.events,
      (events) => events === 1,
    );
    expect(await ask(caller, '/readyz')).toBe(200);

    disk.fail();
    for (let times = 0; times < 3; times++) {
      const refused = await caller.send('POST', teams, { metadata: { name: `during-${times}` } });
      expectRefusal(
        refused,
        /^the audit log cannot be written, so the request was not executed|^the disk of the data directory is read-only/,
      );
    }
    expect(await names(caller)).toEqual(['before']);
    await eventually(
      30,
      () => ask(caller, '/readyz'),
      (status) => status === 500,
    );
    expect(await ask(caller, '/livez')).toBe(200);
    expect(await ask(caller, `${teams}/before`)).toBe(200);
    expect([watch.events, watch.ended]).toEqual([1, 0]);
    await expectNoFaultIn(server);
    expect(await server.stop()).toBe(0);

    await expect(startFlotilla({ dataDirectory: join(disk.path, 'data') })).rejects.toThrow(
      /exited with 1 before it was ready:\n[^\n]*read-only[^\n]*\n$/i,
    );
  });
});

describe.skipIf(noRefusal !== undefined)('a server whose disk temporarily refuses writes', () => {
  it('refuses writes, serves reads and watches, and accepts writes again without a restart, without losses or duplicates', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'flotilla-refusing-'));
    undo.push(() => rm(directory, { recursive: true }));
    const { server, caller, watch } = await serve(directory);
    for (let round = 0; round < 3; round++) {
      await caller.make(teams, { metadata: { name: `good-${round}` } });
      refuseWrites(directory, true);
      try {
        const refused = await caller.send('POST', teams, { metadata: { name: `bad-${round}` } });
        expectRefusal(
          refused,
          /^the audit log cannot be written, so the request was not executed|^the store cannot use its disk/,
        );
        await eventually(
          30,
          () => ask(caller, '/readyz'),
          (status) => status === 500,
        );
        expect(await ask(caller, `${teams}/good-${round}`)).toBe(200);
      } finally {
        refuseWrites(directory, false);
      }
      await eventually(
        30,
        () => ask(caller, '/readyz'),
        (status) => status === 200,
      );
    }
    await caller.make(teams, { metadata: { name: 'last' } });
    await eventually(
      30,
      () => watch.events,
      (events) => events === 4,
    );
    expect(watch.ended).toBe(0);
    expect(await names(caller)).toEqual(['good-0', 'good-1', 'good-2', 'last']);
    await expectNoFaultIn(server);
    expect(await server.stop()).toBe(0);
    const again = await serve(directory);
    expect(await names(again.caller)).toEqual(['good-0', 'good-1', 'good-2', 'last']);
  });
});

describe.skipIf(noMemoryDisk !== undefined)('a server on a read-only disk', () => {
  it.each(['new', 'used'])('does not start, and reports the reason in one line; its directory is %s', async (state) => {
    const disk = Disk.inMemory(64);
    undo.push(() => disk.remove());
    const dataDirectory = join(disk.path, 'data');
    if (state === 'used') await (await startFlotilla({ dataDirectory })).stop();
    disk.makeReadOnly();
    await expect(startFlotilla({ dataDirectory })).rejects.toThrow(
      new RegExp(`exited with 1 before it was ready:\n[^\n]*${dataDirectory}[^\n]*: the file system is read-only\n$`),
    );
  });
});
