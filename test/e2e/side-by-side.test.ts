import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { teamKind } from '../../src/api/management/v1/team.ts';
import { virtualClusterInstanceKind } from '../../src/api/management/v1/virtual-cluster-instance.ts';
import type { ResourceKind } from '../../src/api/resource.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { findKubeApiserver, startKubeApiserver } from '../harness/kube-apiserver.mjs';
import { describeIfAvailable } from '../harness/suite.ts';
import { coreKinds } from '../side-by-side/areas/kinds/core-kinds.ts';
import { events } from '../side-by-side/areas/kinds/events.ts';
import { leases } from '../side-by-side/areas/kinds/leases.ts';
import { namespaces } from '../side-by-side/areas/kinds/namespaces.ts';
import { instanceAnswers, instanceNamespace, instances } from '../side-by-side/areas/management/instances.ts';
import { teams } from '../side-by-side/areas/management/teams.ts';
import { apply } from '../side-by-side/areas/objects/apply.ts';
import { create } from '../side-by-side/areas/objects/create.ts';
import { deletion } from '../side-by-side/areas/objects/deletion.ts';
import { metadata } from '../side-by-side/areas/objects/metadata.ts';
import { ownership } from '../side-by-side/areas/objects/ownership.ts';
import { patches } from '../side-by-side/areas/objects/patches.ts';
import { schema } from '../side-by-side/areas/objects/schema.ts';
import { status } from '../side-by-side/areas/objects/status.ts';
import { updates } from '../side-by-side/areas/objects/updates.ts';
import { bodies } from '../side-by-side/areas/requests/bodies.ts';
import { discovery } from '../side-by-side/areas/requests/discovery.ts';
import { lists } from '../side-by-side/areas/requests/lists.ts';
import { negotiation } from '../side-by-side/areas/requests/negotiation.ts';
import { numbers } from '../side-by-side/areas/requests/numbers.ts';
import { openapi } from '../side-by-side/areas/requests/openapi.ts';
import { paths } from '../side-by-side/areas/requests/paths.ts';
import { selectors } from '../side-by-side/areas/requests/selectors.ts';
import { tables } from '../side-by-side/areas/requests/tables.ts';
import { watches } from '../side-by-side/areas/requests/watches.ts';
import { yamlBodies } from '../side-by-side/areas/requests/yaml-bodies.ts';
import { customResourceDefinition } from '../side-by-side/custom-resource-definition.ts';
import { differences } from '../side-by-side/differences.ts';
import { Pair } from '../side-by-side/pair.ts';
import { Side, type SideOptions } from '../side-by-side/side.ts';
import { gadget, gizmo, type SharedKind } from '../side-by-side/workshop-kinds.ts';
import { startWorkshopServer, type WorkshopServer } from '../side-by-side/workshop-server.ts';

/**
 * The list of differences is valid only for the kube-apiserver version that the test tools are built from. Other
 * versions differ in other ways.
 */
const version = builtVersion();

const programs = findKubeApiserver();
const missing =
  programs === undefined
    ? 'there is no kube-apiserver with etcd beside it (test/tools/build.sh builds both)'
    : programs.version !== version
      ? `the kube-apiserver found is ${programs.version}, the comparison is with ${version}`
      : undefined;

describeIfAvailable(missing, 'kube-apiserver side by side', () => {
  const workshop = new Pair(differences);
  const management = new Pair(differences);
  /**
   * Compares the built-in cluster, which represents every Kubernetes control plane of the server, virtual clusters
   * included.
   */
  const plane = new Pair(differences);
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
    const credentials = {
      token: flotilla.adminKey,
      ca: readFileSync(join(flotilla.dataDirectory, 'ca.crt'), 'utf8'),
    };
    management.connect(sideOf(kubeApiserver), sideOf({ url: `${flotilla.url}/kubernetes/management`, ...credentials }));
    plane.connect(sideOf(kubeApiserver), sideOf({ url: `${flotilla.url}/kubernetes/cluster/local`, ...credentials }));
    const [theirs, local] = plane.sides;
    for (const one of [gadget, gizmo, plain(teamKind, false)]) await define(theirs, one);
    const json = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: instanceNamespace } };
    for (const side of [theirs, local]) {
      await define(side, plain(virtualClusterInstanceKind, true));
      await side.send({ method: 'POST', path: '/api/v1/namespaces', json });
    }
  });

  afterAll(async () => {
    for (const side of sides) side.close();
    await Promise.all([kubeApiserver?.stop(), workshopServer?.stop(), flotilla?.remove()]);
    rmSync(dataDir, { recursive: true, force: true });
  });

  for (const area of [paths, negotiation, bodies, yamlBodies, numbers, schema, metadata, create]) area(workshop);
  for (const area of [lists, selectors, tables, updates, status, patches, apply, ownership]) area(workshop);
  for (const area of [deletion, watches, discovery, openapi]) area(workshop);
  instanceAnswers(management);
  teams(management);
  leases(management);
  instances(plane);
  namespaces(plane);
  coreKinds(plane);
  events(plane);

  describe('The list of differences', () => {
    it('has no entry that did not occur in more than three thousand requests', () => {
      const pairs = [workshop, management, plane];
      const count = pairs.reduce((sum, pair) => sum + pair.count, 0);
      process.stderr.write(`\n${count} requests compared with kube-apiserver ${version}\n`);
      const met = new Set(pairs.flatMap((pair) => [...pair.met.keys()]));
      expect(differences.map(({ id }) => id).filter((id) => !met.has(id))).toEqual([]);
      expect(count).toBeGreaterThan(3000);
    });
  });
});

function builtVersion(): string {
  const module = readFileSync(new URL('../tools/kube-apiserver/go.mod', import.meta.url), 'utf8');
  return /k8s\.io\/kubernetes (v[\d.]+)/.exec(module)?.[1] ?? '';
}

/** Returns a kind of the management API as a plain custom resource, without its computed columns. */
function plain({ columns: _columns, ...kind }: ResourceKind, hasStatus: boolean): SharedKind {
  return { ...kind, hasStatus };
}

/** Defines the kind on a control plane and waits until it is served and published. */
async function define(side: Side, kind: SharedKind): Promise<void> {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const made = await side.send({ method: 'POST', path: definitions, json: customResourceDefinition(kind) });
  if (made.status !== 201) throw new Error(`${kind.kind} is refused: ${made.text}`);
  const signal = AbortSignal.timeout(60_000);
  const document = `/openapi/v3/apis/${kind.group}/${kind.version}`;
  for (;;) {
    const served = await side.send({ path: `/apis/${kind.group}/${kind.version}/${kind.plural}` });
    const published = await side.send({ path: document });
    if (served.status === 200 && published.text.includes(`"${kind.kind}"`)) return;
    await delay(100, undefined, { signal });
  }
}
