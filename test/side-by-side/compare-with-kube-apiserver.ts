import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ServerTestEnv } from '../../src/server/server.fixture.ts';
import { findKubeApiserver, startKubeApiserver } from '../harness/kube-apiserver.mjs';
import { describeIfAvailable } from '../harness/suite.ts';
import type { Difference } from './difference.ts';
import { differences } from './differences.ts';
import { Pair } from './pair.ts';
import { Side } from './side.ts';

export interface ComparisonOptions {
  /** The differences that are allowed only in this comparison. The suite fails if one of them no longer occurs. */
  readonly own: readonly Difference[];
  /** The authorization mode of kube-apiserver. Optional; by default every request is allowed. */
  readonly authorization?: 'RBAC';
  /**
   * With `full`, compares a virtual cluster with the full set of kinds. Optional; by default compares the built-in
   * cluster, which has the minimal set.
   */
  readonly api?: 'full';
  /** The minimum number of requests that the suite must compare. */
  readonly atLeast?: number;
}

const virtualClusters = '/apis/storage.platform.sh/v1/namespaces/default/virtualclusters';

/** A suite that compares the built-in cluster, or a virtual cluster on it, with a separate kube-apiserver. */
export function compareWithKubeApiserver(title: string, options: ComparisonOptions, areas: (pair: Pair) => void): void {
  const programs = findKubeApiserver();
  const missing =
    programs === undefined
      ? 'there is no kube-apiserver with etcd beside it (test/tools/build.sh builds both)'
      : undefined;

  describeIfAvailable(missing, title, () => {
    const { own, authorization, api, atLeast = 0 } = options;
    const pair = new Pair([...own, ...differences]);
    const sides: Side[] = [];
    let dataDir = '';
    let bench: ServerTestEnv | undefined;
    let kubeApiserver: Awaited<ReturnType<typeof startKubeApiserver>> | undefined;

    beforeAll(async () => {
      if (programs === undefined) return;
      dataDir = mkdtempSync(join(tmpdir(), 'side-by-side-'));
      bench = await ServerTestEnv.open();
      kubeApiserver = await startKubeApiserver({
        programs,
        dataDir,
        // Kubernetes clusters usually allow privileged containers. The pods are never run, because there are no nodes.
        flags: ['--allow-privileged=true'],
        podAccounts: api === 'full',
        ...(authorization === undefined ? {} : { authorization }),
      });
      // Both servers must be allowed to call the test's webhooks, which are on this machine.
      const config = join(dataDir, 'flotilla.yaml');
      writeFileSync(config, 'planes:\n  webhookAddresses: [127.0.0.0/8]\n');
      const { url } = await bench.start({ config });
      const theirs = new Side(kubeApiserver);
      const local = `${url}/kubernetes/cluster/local`;
      const credentials = { token: await bench.adminKey(), ca: readFileSync(bench.file('ca.crt'), 'utf8') };
      if (api !== undefined) {
        const host = new Side({ url: local, ...credentials });
        sides.push(host);
        const json = { metadata: { name: 'compared' }, spec: { api } };
        const created = await host.send({ method: 'POST', path: virtualClusters, json });
        if (created.status !== 201) throw new Error(`could not create the virtual cluster: ${created.text}`);
      }
      const ours = new Side({
        url: api === undefined ? local : `${local}${virtualClusters}/compared/proxy`,
        ...credentials,
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

    it('have only the listed differences, and all of them', () => {
      expect(own.map(({ id }) => id).filter((id) => !pair.met.has(id))).toEqual([]);
      expect(pair.count).toBeGreaterThan(atLeast);
    });
  });
}
