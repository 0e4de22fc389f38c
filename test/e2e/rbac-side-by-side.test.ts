import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ServerBench } from '../../src/server/server.fixture.ts';
import { findKubeApiserver, startKubeApiserver } from '../harness/kube-apiserver.mjs';
import { describeWith } from '../harness/suite.ts';
import { rbacAnswers } from '../side-by-side/areas/rbac.ts';
import { rbacDecisions } from '../side-by-side/areas/rbac-decisions.ts';
import { rbacDifferences } from '../side-by-side/differences/rbac.ts';
import { differences } from '../side-by-side/differences.ts';
import { Pair } from '../side-by-side/pair.ts';
import { Side } from '../side-by-side/side.ts';

const programs = findKubeApiserver();
const missing =
  programs === undefined
    ? 'there is no kube-apiserver with etcd beside it (test/tools/build.sh builds both)'
    : undefined;

describeWith(missing, 'RBAC beside that of kube-apiserver', () => {
  const pair = new Pair([...rbacDifferences, ...differences]);
  let dataDir = '';
  let bench: ServerBench;
  let kubeApiserver: Awaited<ReturnType<typeof startKubeApiserver>> | undefined;
  let sides: readonly Side[] = [];

  beforeAll(async () => {
    if (programs === undefined) return;
    dataDir = mkdtempSync(join(tmpdir(), 'rbac-side-by-side-'));
    bench = await ServerBench.open();
    const [kube, server] = await Promise.all([
      startKubeApiserver({ programs, dataDir, authorization: 'RBAC' }),
      bench.start(),
    ]);
    kubeApiserver = kube;
    const ours = new Side({
      url: `${server.url}/kubernetes/cluster/local`,
      token: await bench.adminKey(),
      ca: readFileSync(bench.file('ca.crt'), 'utf8'),
    });
    const theirs = new Side(kube);
    sides = [theirs, ours];
    pair.connect(theirs, ours);
  });

  afterAll(async () => {
    for (const side of sides) side.close();
    await kubeApiserver?.stop();
    await bench?.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  rbacAnswers(pair);
  rbacDecisions(pair);

  it('differ in all that is listed', () => {
    expect(rbacDifferences.map(({ id }) => id).filter((id) => !pair.met.has(id))).toEqual([]);
  });
});
