import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ServerBench } from '../../src/server/server.fixture.ts';
import { findKubeApiserver, startKubeApiserver } from '../harness/kube-apiserver.mjs';
import { describeWith } from '../harness/suite.ts';
import type { Difference } from './difference.ts';
import { differences } from './differences.ts';
import { Pair } from './pair.ts';
import { Side } from './side.ts';

export interface ComparisonOptions {
  /** Those that only this comparison meets, all of them. */
  readonly own: readonly Difference[];
  /** How kube-apiserver decides; absent: everybody may do everything. */
  readonly authorization?: 'RBAC';
  /** So many requests are compared, at least. */
  readonly atLeast?: number;
}

/** A suite that compares the built-in cluster with a kube-apiserver of its own. */
export function besideKubeApiserver(title: string, options: ComparisonOptions, areas: (pair: Pair) => void): void {
  const programs = findKubeApiserver();
  const missing =
    programs === undefined
      ? 'there is no kube-apiserver with etcd beside it (test/tools/build.sh builds both)'
      : undefined;

  describeWith(missing, title, () => {
    const { own, authorization, atLeast = 0 } = options;
    const pair = new Pair([...own, ...differences]);
    const sides: Side[] = [];
    let dataDir = '';
    let bench: ServerBench | undefined;
    let kubeApiserver: Awaited<ReturnType<typeof startKubeApiserver>> | undefined;

    beforeAll(async () => {
      if (programs === undefined) return;
      dataDir = mkdtempSync(join(tmpdir(), 'side-by-side-'));
      bench = await ServerBench.open();
      kubeApiserver = await startKubeApiserver({
        programs,
        dataDir,
        ...(authorization === undefined ? {} : { authorization }),
      });
      const { url } = await bench.start();
      const theirs = new Side(kubeApiserver);
      const ours = new Side({
        url: `${url}/kubernetes/cluster/local`,
        token: await bench.adminKey(),
        ca: readFileSync(bench.file('ca.crt'), 'utf8'),
      });
      sides.push(theirs, ours);
      pair.connect(theirs, ours);
    });

    afterAll(async () => {
      for (const side of sides) side.close();
      await kubeApiserver?.stop();
      await bench?.close();
      rmSync(dataDir, { recursive: true, force: true });
    });

    areas(pair);

    it('differ in nothing else, and in all that is listed', () => {
      expect(own.map(({ id }) => id).filter((id) => !pair.met.has(id))).toEqual([]);
      expect(pair.count).toBeGreaterThan(atLeast);
    });
  });
}
