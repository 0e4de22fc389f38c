import { afterAll, beforeAll, expect, it } from 'vitest';
import { noEtcd } from '../../src/store/etcd/etcd.fixture.ts';
import { eventually } from '../bad-days/eventually.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { askReplica, createReadyInstance } from './replica-api.ts';
import { ReplicaSet } from './replica-set.ts';
import { noTestNetwork } from './test-network.ts';

const shards = 64;

/** The part of the background work that one server does, according to the server's metrics. */
interface HeldWork {
  readonly leader: number;
  readonly shards: number;
}

describeIfAvailable(noEtcd ?? noTestNetwork, 'the background work of three replicas', () => {
  let set: ReplicaSet;
  let instances = 0;

  beforeAll(async () => {
    set = await ReplicaSet.start({ members: 1, network: 4 });
  });
  afterAll(() => set?.stop());

  async function heldBy(replica: number): Promise<HeldWork> {
    const { code, body } = await askReplica(set.replica(replica), set.adminKey, '/metrics', { longest: 1_000 });
    if (code !== 200) return { leader: 0, shards: 0 };
    const value = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(String(body))?.[1] ?? 0);
    return { leader: value('flotilla_replica_leader'), shards: value('flotilla_shards_held') };
  }

  /**
   * Waits until the given replicas together do all background work, and no two do the same part. Returns the part of
   * each replica.
   */
  async function untilDivided(replicas: readonly number[]): Promise<readonly HeldWork[]> {
    const sum = (held: readonly HeldWork[], member: keyof HeldWork) =>
      held.reduce((total, each) => total + each[member], 0);
    return await eventually(
      60,
      () => Promise.all(replicas.map(heldBy)),
      (held) => sum(held, 'leader') === 1 && sum(held, 'shards') === shards,
    );
  }

  async function findLeader(): Promise<{ leader: number; others: readonly number[] }> {
    const all = [0, 1, 2];
    const held = await untilDivided(all);
    const leader = held.findIndex((each) => each.leader === 1);
    return { leader, others: all.filter((index) => index !== leader) };
  }

  /** Creates an instance at a replica. Reconciling the instance needs controllers and maintenance. */
  const createInstance = (replica: number) => createReadyInstance(set, replica, `instance-${instances++}`);

  it('is divided among all of them', async () => {
    await eventually(
      60,
      () => untilDivided([0, 1, 2]),
      (held) => held.every((each) => each.shards > 5),
    );
    for (const replica of [0, 1, 2]) await createInstance(replica);
  });

  it('continues when the leader is killed', async () => {
    const { leader, others } = await findLeader();
    const [other = 0] = others;
    await set.replica(leader).kill();
    const killedAt = performance.now();
    await untilDivided(others);
    const pause = performance.now() - killedAt;
    console.log(`the others continued after ${Math.round(pause)} ms`);
    expect(pause).toBeLessThan(6_000);
    await createInstance(other);
    await set.replica(leader).start();
    await createInstance(leader);
  });

  it('continues when the leader stops responding, and it is not the leader any more when it continues', async () => {
    const { leader, others } = await findLeader();
    const [other = 0] = others;
    set.replica(leader).pause();
    await untilDivided(others);
    await createInstance(other);
    set.replica(leader).resume();
    await untilDivided([0, 1, 2]);
    expect(await heldBy(leader)).toMatchObject({ leader: 0 });
    await createInstance(leader);
  });

  it('continues at once when the leader shuts down', async () => {
    const { leader, others } = await findLeader();
    const [other = 0] = others;
    await set.replica(leader).stop();
    const stoppedAt = performance.now();
    await untilDivided(others);
    expect(performance.now() - stoppedAt).toBeLessThan(3_000);
    await createInstance(other);
    await set.replica(leader).start();
  });
});
