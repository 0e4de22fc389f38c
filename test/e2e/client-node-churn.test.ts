import { setTimeout as pause } from 'node:timers/promises';
import { CustomObjectsApi, KubeConfig, type KubernetesObject, makeInformer } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buoyKind, buoys as collection, defineBuoys, otherNamespace } from '../harness/churn/buoys.ts';
import { churnSeconds, startChurnServer } from '../harness/churn/churn-server.ts';
import { expireHistory } from '../harness/churn/expire-history.ts';
import { informerViolations, replayLog, unaccountedWrites } from '../harness/churn/watch-invariants.ts';
import { WatchLog, type WatchLogEntry, type WatchLogOptions, watchLogEntry } from '../harness/churn/watch-log.ts';
import { Writers } from '../harness/churn/writers.ts';
import type { FlotillaProcess } from '../harness/flotilla-process.ts';

const path = `/apis/${collection.group}/${collection.version}/namespaces/${collection.namespace}/${collection.plural}`;
/** The object that is created last. An observer that has received this object has received everything. */
const last = 'the-end';

interface ObjectList {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: KubernetesObject[];
}

describe('@kubernetes/client-node under churn', () => {
  let flotilla: FlotillaProcess;
  let config: KubeConfig;
  let api: CustomObjectsApi;
  const ending: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    flotilla = await startChurnServer();
    config = new KubeConfig();
    config.loadFromFile(flotilla.kubeconfig);
    config.setCurrentContext('local');
    await defineBuoys(config);
    api = config.makeApiClient(CustomObjectsApi);
  });
  afterAll(async () => {
    for (const end of ending) await end();
    await flotilla.remove();
  });

  const list = () => api.listNamespacedCustomObject(collection) as Promise<ObjectList>;

  /**
   * Starts an informer whose watches the server ends every two seconds, and records everything that the informer
   * reports.
   */
  async function inform(onConnect: (goBackTo: (version: number) => void) => void = () => {}) {
    const reported: WatchLogEntry[] = [];
    let lists = 0;
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const informer = makeInformer(config, `${path}?timeoutSeconds=2`, () => {
      lists++;
      return list();
    });
    const note = (type: string) => (object: KubernetesObject) => {
      reported.push(watchLogEntry(type, object.metadata));
      if (object.metadata?.name === last) finish();
    };
    informer.on('add', note('ADDED'));
    informer.on('update', note('MODIFIED'));
    informer.on('delete', note('DELETED'));
    informer.on('connect', () => onConnect((version) => Object.assign(informer, { resourceVersion: String(version) })));
    informer.on('error', () => void pause(100).then(() => informer.start()));
    ending.push(() => informer.stop());
    await informer.start();
    const state = () =>
      new Map(informer.list().map(({ metadata }) => [metadata?.name ?? '', Number(metadata?.resourceVersion)]));
    return { reported, finished, state, lists: () => lists };
  }

  it(
    'sees each version once and in order, despite conflicts, ended streams and expired versions (CLIENT-04, CLIENT-07, CLIENT-10, CLIENT-13, WATCH-05, WATCH-17, WATCH-25)',
    async () => {
      const cluster = config.getCurrentCluster();
      const options = (from: number): WatchLogOptions => ({
        url: `${cluster?.server}${path}`,
        ca: Buffer.from(cluster?.caData ?? '', 'base64').toString(),
        token: flotilla.adminKey,
        from,
        last,
      });
      const forgotten = Number((await list()).metadata.resourceVersion);
      const crowd = `${cluster?.server}${path.replace(`/${collection.namespace}/`, `/${otherNamespace}/`)}`;
      await expireHistory(
        crowd,
        { apiVersion: `${collection.group}/${collection.version}`, kind: buoyKind },
        options(forgotten),
      );

      const empty = await list();
      expect(empty.items).toEqual([]);
      const from = Number(empty.metadata.resourceVersion);
      const whole = new WatchLog(options(from));
      const resumed = new WatchLog({ ...options(from), seconds: 1, hangUpAfter: 40 });
      const logs = Promise.all([whole.run(), resumed.run()]);
      logs.catch(() => {});

      const writers = new Writers(api, collection);
      const steady = await inform();
      let sentBack = 0;
      let isBack = false;
      const late = await inform((goBackTo) => {
        // Makes the informer resume from an old version at every second connection. At the connections in between, the
        // informer lists again.
        isBack = writers.written.size > 0 && !isBack && sentBack < 3;
        if (!isBack) return;
        sentBack++;
        goBackTo(forgotten);
      });

      const began = Date.now();
      await writers.run(8, () => Date.now() < began + churnSeconds * 1000 || sentBack === 0);
      await writers.create(last);
      const [log, again] = await logs;
      await Promise.all([steady.finished, late.finished]);

      expect(whole.streams).toBe(1);
      expect(again).toEqual(log);
      expect(unaccountedWrites(log, writers)).toEqual([]);
      expect(steady.reported).toEqual(log);
      expect(steady.lists()).toBe(1);
      expect(informerViolations(late.reported, log)).toEqual([]);
      expect(late.lists()).toBe(sentBack + 1);
      for (const race of ['create, 409', 'update, 409', 'stale update, 409', 'delete and create']) {
        expect(writers.counts[race], race).toBeGreaterThan(0);
      }
      const listed = new Map(
        (await list()).items.map(({ metadata }) => [metadata?.name ?? '', Number(metadata?.resourceVersion)]),
      );
      expect(replayLog(log)).toEqual(listed);
      expect(steady.state()).toEqual(listed);
      expect(late.state()).toEqual(listed);
      const seconds = Math.round((Date.now() - began) / 1000);
      process.stdout.write(
        `${log.length} events in ${seconds} s, ${resumed.streams} streams, ${sentBack} versions too old, ${JSON.stringify(writers.counts)}\n`,
      );
    },
    churnSeconds * 1000 + 180_000,
  );
});
