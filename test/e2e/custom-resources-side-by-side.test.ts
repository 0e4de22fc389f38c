import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ServerBench } from '../../src/server/server.fixture.ts';
import { findKubeApiserver, startKubeApiserver } from '../harness/kube-apiserver.mjs';
import { describeWith } from '../harness/suite.ts';
import { customObjects } from '../side-by-side/areas/custom-objects.ts';
import { customRules } from '../side-by-side/areas/custom-rules.ts';
import { definitionAnswers } from '../side-by-side/areas/definitions.ts';
import { customDifferences } from '../side-by-side/differences/custom.ts';
import { differences } from '../side-by-side/differences.ts';
import { Pair } from '../side-by-side/pair.ts';
import { Side } from '../side-by-side/side.ts';

const programs = findKubeApiserver();
const missing =
  programs === undefined
    ? 'there is no kube-apiserver with etcd beside it (test/tools/build.sh builds both)'
    : undefined;

describeWith(missing, 'custom resources beside those of kube-apiserver', () => {
  const pair = new Pair([...customDifferences, ...differences]);
  let dataDir = '';
  let bench: ServerBench;
  let kubeApiserver: Awaited<ReturnType<typeof startKubeApiserver>> | undefined;
  let sides: readonly Side[] = [];

  beforeAll(async () => {
    if (programs === undefined) return;
    dataDir = mkdtempSync(join(tmpdir(), 'custom-side-by-side-'));
    bench = await ServerBench.open();
    const [kube, server] = await Promise.all([startKubeApiserver({ programs, dataDir }), bench.start()]);
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

  definitionAnswers(pair);
  customObjects(pair);
  customRules(pair);

  it('differ in nothing else, and in all that is listed, of several hundred requests', () => {
    expect(customDifferences.map(({ id }) => id).filter((id) => !pair.met.has(id))).toEqual([]);
    expect(pair.count).toBeGreaterThan(300);
  });
});
