import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { managementGroup } from '../../src/api/naming.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { ApiCaller } from './api-caller.ts';
import { Disk, refuseWrites, unavailableReason } from './disk.ts';
import { eventually } from './eventually.ts';
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

async function ask(caller: ApiCaller, path: string): Promise<number> {
  return (await caller.send('GET', path)).status;
}

/** Expects a refusal as a Status, whichever file was the first that could not be written. */
function expectRefusal({ status, text }: { status: number; text: string }, message: RegExp): void {
  expect(JSON.parse(text)).toMatchObject({ kind: 'Status', code: 503, reason: 'ServiceUnavailable' });
  expect(status).toBe(503);
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
    expectRefusal(first, /^the disk of the data directory is full: \d+ bytes free/);
    expect(first.taken.length).toBeGreaterThan(5);
    expect(await names(caller)).toEqual([...first.taken].sort());
    // The store may still free space by merging its tables, so other files fill the disk as well.
    await writeFile(join(disk.path, 'more-ballast'), Buffer.alloc(Math.max(0, disk.free() - 4 * mebibyte)));
    const small = await caller.send('POST', teams, { metadata: { name: 'small' } });
    expectRefusal(small, /^the disk of the data directory is full: \d+ bytes free/);
    await eventually(
      30,
      () => ask(caller, '/readyz'),
      (status) => status === 500,
    );
    expect(await ask(caller, '/livez')).toBe(200);
    expect((await caller.send('GET', '/readyz?verbose')).text).toContain('[-]disk failed: reason withheld');
    expect(await names(caller)).toEqual([...first.taken].sort());

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
