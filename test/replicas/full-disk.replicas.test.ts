import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { noEtcd } from '../../src/store/etcd/etcd.fixture.ts';
import { Disk, unavailableReason } from '../bad-days/disk.ts';
import { eventually } from '../bad-days/eventually.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { askReplica, manage } from './replica-api.ts';
import { ReplicaSet } from './replica-set.ts';
import { noTestNetwork } from './test-network.ts';

const noDisk = unavailableReason('a full disk of a replica', () => Disk.inMemory(1).remove());

describeIfAvailable(noEtcd ?? noTestNetwork ?? noDisk, 'a replica whose own disk is full', () => {
  let set: ReplicaSet;
  let disk: Disk;

  beforeAll(async () => {
    disk = Disk.inMemory(8);
    const directory = (replica: number) => (replica === 1 ? join(disk.path, 'data') : undefined);
    set = await ReplicaSet.start({ network: 10, replicas: 2, members: 1, directory });
  });
  afterAll(async () => {
    await set?.stop();
    disk?.remove();
  });

  const create = (replica: number, name: string) =>
    manage(set, replica, 'users', { method: 'POST', body: { metadata: { name }, spec: {} } });
  const ready = async (replica: number) => (await askReplica(set.replica(replica), '', '/readyz?verbose')).body;

  it('refuses writes and is not ready, serves reads, and recovers without a restart', async () => {
    expect((await create(1, 'before')).code).toBe(201);
    const ballast = join(disk.path, 'ballast');
    writeFileSync(ballast, Buffer.alloc(disk.free()));
    const refused = await eventually(
      10,
      () => create(1, 'during'),
      ({ code }) => code !== 201 && code !== 409,
    );
    expect(refused).toMatchObject({
      code: 503,
      body: { message: expect.stringContaining('the audit log cannot be written, so the request was not executed') },
    });
    expect(refused.headers['retry-after']).toBe('5');
    expect((await manage(set, 1, 'users/before')).code).toBe(200);
    expect(await ready(1)).toContain('[-]audit-log failed');
    expect(set.replica(1).process.output()).toContain('the audit log cannot be written');
    // The other replica has its own disk, so it still accepts writes.
    expect((await create(0, 'elsewhere')).code).toBe(201);
    expect(await ready(0)).toContain('[+]audit-log ok');
    expect((await manage(set, 1, 'users/elsewhere')).code).toBe(200);

    rmSync(ballast);
    await eventually(
      10,
      () => ready(1),
      (text) => String(text).includes('[+]audit-log ok'),
    );
    expect((await create(1, 'afterwards')).code).toBe(201);
  });
});
