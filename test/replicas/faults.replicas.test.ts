import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { noEtcd } from '../../src/store/etcd/etcd.fixture.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { RegisterWorkload } from './register-workload.ts';
import { createReadyInstance, registersOf } from './replica-api.ts';
import { ReplicaSet } from './replica-set.ts';
import { noTestNetwork } from './test-network.ts';

/**
 * The milliseconds after which the other replicas have certainly taken over the work of a replica that does not
 * respond.
 */
const longSilence = 8_000;

describeIfAvailable(noEtcd ?? noTestNetwork, 'three replicas over three members of etcd', () => {
  let set: ReplicaSet;
  let rounds = 0;

  beforeAll(async () => {
    set = await ReplicaSet.start({ network: 1 });
    await createReadyInstance(set, 1, 'registers');
  });
  afterAll(() => set?.stop());

  /**
   * Lets clients read and write during `fault` and for some time afterwards, and checks the history of all operations.
   */
  async function during(fault: (workload: RegisterWorkload) => Promise<void>): Promise<void> {
    const round = ++rounds;
    const workload = await RegisterWorkload.start(registersOf(set, 'registers'), `round${round}`, round);
    await workload.progress(50);
    await fault(workload);
    await workload.progress(50);
    const figures = await workload.stopAndCheck();
    console.log(`round ${round}: ${JSON.stringify(figures)}`);
  }

  it('are linearizable without faults', () => during((workload) => workload.progress(300)));

  it('lose nothing when a replica is killed and starts again', () =>
    during(async (workload) => {
      for (const index of [0, 1, 2]) {
        await set.replica(index).kill();
        const pause = await workload.untilChange(performance.now());
        expect(pause).toBeLessThan(2_000);
        await workload.progress(50);
        await set.replica(index).start();
        await workload.progress(50);
      }
    }));

  it('lose nothing when a replica stops for a while and continues', () =>
    during(async (workload) => {
      for (const index of [0, 1, 2]) {
        set.replica(index).pause();
        await delay(longSilence);
        set.replica(index).resume();
        await workload.progress(50);
      }
    }));

  it('lose nothing when members of etcd are killed and start again', () =>
    during(async (workload) => {
      for (const index of [0, 1, 2]) {
        await set.etcd.member(index).kill();
        await workload.progress(50);
        set.etcd.member(index).start();
        await set.etcd.untilReady();
        await workload.progress(50);
      }
    }));

  it('lose nothing when members of etcd stop for a while and continue', () =>
    during(async (workload) => {
      for (const index of [0, 1, 2]) {
        set.etcd.member(index).pause();
        await workload.progress(20);
        set.etcd.member(index).resume();
        await workload.progress(50);
      }
    }));

  it('lose nothing when a replica is cut off from etcd', () =>
    during(async (workload) => {
      for (const { name } of set.replicas) {
        set.network.cut(name, set.memberNames);
        await delay(longSilence);
        set.network.restore(name, set.memberNames);
        await workload.progress(50);
      }
    }));

  it('lose nothing when a member of etcd is cut off from the others', () =>
    during(async (workload) => {
      for (const name of set.memberNames) {
        const others = set.memberNames.filter((other) => other !== name);
        set.network.cut(name, others);
        await workload.progress(20);
        set.network.restore(name, others);
        await workload.progress(50);
      }
    }));

  it('lose nothing when a replica is cut off from its clients', () =>
    during(async (workload) => {
      for (const { name } of set.replicas) {
        set.network.cutFromTests(name);
        await workload.progress(10);
        set.network.restoreToTests(name);
        await workload.progress(50);
      }
    }));

  it('answer 503 in time while etcd has no leader, and continue afterwards', () =>
    during(async (workload) => {
      await Promise.all([0, 1].map((index) => set.etcd.member(index).kill()));
      await delay(3_000);
      for (const index of [0, 1]) set.etcd.member(index).start();
      await set.etcd.untilReady();
      await workload.progress(50);
    }));
});
