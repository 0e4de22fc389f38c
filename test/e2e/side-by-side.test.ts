import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { virtualClusterInstanceKind } from '../../src/api/management/v1/virtual-cluster-instance.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { findKubeApiserver, startKubeApiserver } from '../harness/kube-apiserver.mjs';
import { describeWith } from '../harness/suite.ts';
import { apply } from '../side-by-side/areas/apply.ts';
import { bodies } from '../side-by-side/areas/bodies.ts';
import { create } from '../side-by-side/areas/create.ts';
import { deletion } from '../side-by-side/areas/deletion.ts';
import { discovery } from '../side-by-side/areas/discovery.ts';
import { instanceNamespace, instances } from '../side-by-side/areas/instances.ts';
import { leases } from '../side-by-side/areas/leases.ts';
import { lists } from '../side-by-side/areas/lists.ts';
import { metadata } from '../side-by-side/areas/metadata.ts';
import { negotiation } from '../side-by-side/areas/negotiation.ts';
import { numbers } from '../side-by-side/areas/numbers.ts';
import { openapi } from '../side-by-side/areas/openapi.ts';
import { ownership } from '../side-by-side/areas/ownership.ts';
import { patches } from '../side-by-side/areas/patches.ts';
import { paths } from '../side-by-side/areas/paths.ts';
import { schema } from '../side-by-side/areas/schema.ts';
import { selectors } from '../side-by-side/areas/selectors.ts';
import { status } from '../side-by-side/areas/status.ts';
import { tables } from '../side-by-side/areas/tables.ts';
import { updates } from '../side-by-side/areas/updates.ts';
import { watches } from '../side-by-side/areas/watches.ts';
import { yamlBodies } from '../side-by-side/areas/yaml-bodies.ts';
import { customResourceDefinition } from '../side-by-side/custom-resource-definition.ts';
import { differences } from '../side-by-side/differences.ts';
import { Pair } from '../side-by-side/pair.ts';
import { Side, type SideOptions } from '../side-by-side/side.ts';
import { gadget, gizmo, type SharedKind } from '../side-by-side/workshop-kinds.ts';
import { startWorkshopServer, type WorkshopServer } from '../side-by-side/workshop-server.ts';

/** The list of differences is true of the version that the tools are built in; another one has others. */
const version = builtVersion();

const programs = findKubeApiserver();
const missing =
  programs === undefined
    ? 'there is no kube-apiserver with etcd beside it (test/tools/build.sh builds both)'
    : programs.version !== version
      ? `the kube-apiserver found is ${programs.version}, the comparison is with ${version}`
      : undefined;

describeWith(missing, 'kube-apiserver side by side', () => {
  const workshop = new Pair(differences);
  const management = new Pair(differences);
  const sides: Side[] = [];
  let dataDir = '';
  let kubeApiserver: Awaited<ReturnType<typeof startKubeApiserver>>;
  let workshopServer: WorkshopServer;
  let flotilla: FlotillaProcess;

  const sideOf = (options: SideOptions) => {
    const side = new Side(options);
    sides.push(side);
    return side;
  };

  beforeAll(async () => {
    if (programs === undefined) return;
    dataDir = mkdtempSync(join(tmpdir(), 'side-by-side-'));
    [kubeApiserver, workshopServer, flotilla] = await Promise.all([
      startKubeApiserver({ programs, dataDir }),
      startWorkshopServer(),
      startFlotilla(),
    ]);
    workshop.connect(sideOf(kubeApiserver), sideOf(workshopServer));
    management.connect(
      sideOf(kubeApiserver),
      sideOf({
        url: `${flotilla.url}/kubernetes/management`,
        token: flotilla.adminKey,
        ca: readFileSync(join(flotilla.dataDirectory, 'ca.crt'), 'utf8'),
      }),
    );
    const { columns: _columns, ...kind } = virtualClusterInstanceKind;
    const [theirs] = workshop.sides;
    for (const one of [gadget, gizmo, { ...kind, hasStatus: true }]) await define(theirs, one);
    const json = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: instanceNamespace } };
    await theirs.send({ method: 'POST', path: '/api/v1/namespaces', json });
  });

  afterAll(async () => {
    for (const side of sides) side.close();
    await Promise.all([kubeApiserver?.stop(), workshopServer?.stop(), flotilla?.remove()]);
    rmSync(dataDir, { recursive: true, force: true });
  });

  for (const area of [paths, negotiation, bodies, yamlBodies, numbers, schema, metadata, create]) area(workshop);
  for (const area of [lists, selectors, tables, updates, status, patches, apply, ownership]) area(workshop);
  for (const area of [deletion, watches, discovery, openapi]) area(workshop);
  instances(management);
  leases(management);

  describe('The list of differences', () => {
    it('holds none that was not met, of more than two thousand requests', () => {
      const count = workshop.count + management.count;
      process.stderr.write(`\n${count} requests compared with kube-apiserver ${version}\n`);
      const met = new Set([...workshop.met.keys(), ...management.met.keys()]);
      expect(differences.map(({ id }) => id).filter((id) => !met.has(id))).toEqual([]);
      expect(count).toBeGreaterThan(2000);
    });
  });
});

function builtVersion(): string {
  const module = readFileSync(new URL('../tools/kube-apiserver/go.mod', import.meta.url), 'utf8');
  return /k8s\.io\/kubernetes (v[\d.]+)/.exec(module)?.[1] ?? '';
}

/** Makes the kind known to kube-apiserver and waits until it is served and published. */
async function define(theirs: Side, kind: SharedKind): Promise<void> {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const made = await theirs.send({ method: 'POST', path: definitions, json: customResourceDefinition(kind) });
  if (made.status !== 201) throw new Error(`kube-apiserver refuses ${kind.kind}: ${made.text}`);
  const signal = AbortSignal.timeout(60_000);
  const document = `/openapi/v3/apis/${kind.group}/${kind.version}`;
  for (;;) {
    const served = await theirs.send({ path: `/apis/${kind.group}/${kind.version}/${kind.plural}` });
    const published = await theirs.send({ path: document });
    if (served.status === 200 && published.text.includes(`"${kind.kind}"`)) return;
    await delay(100, undefined, { signal });
  }
}
