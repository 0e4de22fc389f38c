import { readdirSync, readFileSync } from 'node:fs';
import { type JsonObject, listAt, textAt, valueAt } from '@flotilla/json';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeIfAvailable } from '../harness/suite.ts';
import { findKubernetes } from './harness/programs.ts';
import { type Kubernetes, startKubernetes } from './harness/start-kubernetes.ts';

const programs = findKubernetes();
const charts = ['flotilla', 'flotilla-agent'];
const valuesFiles = charts.flatMap((chart) =>
  readdirSync(`test/charts/${chart}`)
    .filter((name) => name.endsWith('.values.yaml'))
    .map((name) => ({ chart, file: `test/charts/${chart}/${name}`, name: name.split('.')[0] ?? '' })),
);

/** The values files that the previous version of the charts accepts. */
const previousFiles = valuesFiles.filter(({ file }) => !/^tunnel:/m.test(readFileSync(file, 'utf8')));
const { version } = load(readFileSync('charts/flotilla/Chart.yaml', 'utf8')) as { version: string };

/** The kinds whose objects an upgrade of the chart must keep. */
const keptKinds = [
  'statefulsets',
  'deployments',
  'services',
  'configmaps',
  'secrets',
  'serviceaccounts',
  'persistentvolumeclaims',
  'poddisruptionbudgets',
  'networkpolicies',
  'ingresses',
  'roles',
  'rolebindings',
];

/** The custom resources that the charts can create, with the versions that the charts use. */
const customKinds = [
  { group: 'cert-manager.io', kind: 'Certificate', plural: 'certificates', versions: ['v1'] },
  { group: 'monitoring.coreos.com', kind: 'ServiceMonitor', plural: 'servicemonitors', versions: ['v1'] },
  { group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', plural: 'httproutes', versions: ['v1'] },
  { group: 'gateway.networking.k8s.io', kind: 'TLSRoute', plural: 'tlsroutes', versions: ['v1', 'v1alpha3'] },
  { group: 'gateway.networking.k8s.io', kind: 'BackendTLSPolicy', plural: 'backendtlspolicies', versions: ['v1'] },
];

describeIfAvailable(typeof programs === 'string' ? programs : undefined, 'the Helm charts on a real API server', () => {
  let kubernetes: Kubernetes;

  beforeAll(async () => {
    if (typeof programs === 'string') return;
    kubernetes = await startKubernetes({ programs, standIns: false });
    const definitions = { apiVersion: 'v1', kind: 'List', items: customKinds.map(definitionOf) };
    await kubernetes.kubectl.ok(['create', '-f', '-'], { input: JSON.stringify(definitions) });
    const names = customKinds.map(({ plural, group }) => `crd/${plural}.${group}`);
    await kubernetes.kubectl.ok(['wait', '--for=condition=Established', ...names, '--timeout=30s']);
  });
  afterAll(async () => {
    await kubernetes?.stop();
  });

  /** Creates a namespace that enforces the Pod Security Standard `restricted`. */
  async function createNamespace(name: string): Promise<void> {
    await kubernetes.kubectl.ok(['create', 'namespace', name]);
    await kubernetes.kubectl.ok(['label', 'namespace', name, 'pod-security.kubernetes.io/enforce=restricted']);
  }
  const get = async (namespace: string, ...what: string[]): Promise<JsonObject> =>
    JSON.parse(await kubernetes.kubectl.ok(['get', ...what, '-n', namespace, '-o', 'json']));
  const items = async (namespace: string, ...what: string[]) => listAt(await get(namespace, ...what), 'items');

  it.each(valuesFiles)('accepts $file, and its pods start in a restricted namespace', async ({ chart, file, name }) => {
    const namespace = `${chart}-${name}`;
    await createNamespace(namespace);
    // With strict validation, the API server refuses unknown fields.
    const rendered = await kubernetes.helm('template', 'flotilla', `charts/${chart}`, '-n', namespace, '-f', file);
    await kubernetes.kubectl.ok(['create', '--dry-run=server', '--validate=strict', '-f', '-'], { input: rendered });
    await kubernetes.helm('install', 'flotilla', `charts/${chart}`, '-n', namespace, '-f', file);
    const [workload] = await items(namespace, 'statefulsets,deployments');
    const wanted = valueAt(workload as JsonObject, 'spec', 'replicas');
    await expect.poll(async () => (await items(namespace, 'pods')).length, { timeout: 30_000 }).toBe(wanted);
    await kubernetes.helm('uninstall', 'flotilla', '-n', namespace);
    const claims = await items(namespace, 'persistentvolumeclaims');
    expect(claims.length, 'the data outlives the release').toBe(wanted);
  });

  describe('an upgrade from the previous version of the chart', () => {
    const namespace = 'upgraded';
    const flagsOf = (values: readonly string[]) => values.flatMap((each) => ['--set', each]);
    /** The values with which the release was installed, and which an upgrade must keep. */
    const own = ['config.logLevel=warn', 'persistence.size=12Gi', 'podLabels.tier=old'];
    const upgrade = (...values: string[]) =>
      kubernetes.helm('upgrade', 'flotilla', 'charts/flotilla', '-n', namespace, ...flagsOf([...own, ...values]));
    const container = async (workload: string, at = namespace): Promise<JsonObject> =>
      listAt(await get(at, workload), 'spec', 'template', 'spec', 'containers')[0] as JsonObject;

    /**
     * Returns the uids of the objects in a namespace, except the Secrets in which Helm keeps the last ten revisions.
     */
    async function uids(at: string): Promise<ReadonlyMap<string, string>> {
      const kinds = [...keptKinds, ...customKinds.map(({ plural, group }) => `${plural}.${group}`)].join(',');
      const nameOf = (object: JsonObject) => `${textAt(object, 'kind')}/${textAt(object, 'metadata', 'name')}`;
      const found = ((await items(at, kinds)) as JsonObject[]).filter(
        (object) => textAt(object, 'type') !== 'helm.sh/release.v1',
      );
      return new Map(found.map((object) => [nameOf(object), textAt(object, 'metadata', 'uid')]));
    }
    async function expectKept(at: string, before: ReadonlyMap<string, string>): Promise<void> {
      expect(Object.fromEntries(await uids(at))).toMatchObject(Object.fromEntries(before));
    }

    it.each(previousFiles)('with $file keeps every object, and its pods', async ({ chart, file, name }) => {
      const at = `${chart}-${name}-upgraded`;
      await createNamespace(at);
      const flags = ['-n', at, '-f', file];
      await kubernetes.helm('install', 'flotilla', `test/charts/previous/${chart}`, ...flags);
      const kind = chart === 'flotilla' ? 'statefulsets' : 'deployments';
      const wanted = valueAt((await items(at, kind))[0] as JsonObject, 'spec', 'replicas');
      await expect.poll(async () => (await items(at, 'pods')).length, { timeout: 30_000 }).toBe(wanted);
      const before = await uids(at);
      expect([...before.keys()].filter((key) => key.startsWith('PersistentVolumeClaim/'))).toHaveLength(
        wanted as number,
      );
      await kubernetes.helm('upgrade', 'flotilla', `charts/${chart}`, ...flags);
      await expectKept(at, before);
      const [workload] = (await items(at, kind)) as JsonObject[];
      expect(valueAt(workload as JsonObject, 'metadata', 'labels', 'helm.sh/chart')).toBe(`${chart}-${version}`);
      await kubernetes.helm('uninstall', 'flotilla', '-n', at);
    });

    it('applies new values one by one and together', async () => {
      await createNamespace(namespace);
      const flags = ['-n', namespace, ...flagsOf(own)];
      await kubernetes.helm('install', 'flotilla', 'test/charts/previous/flotilla', ...flags);
      await expect.poll(async () => (await items(namespace, 'pods')).length, { timeout: 30_000 }).toBe(1);
      const before = await uids(namespace);
      expect(textAt(await container('statefulset/flotilla'), 'image')).toBe('flotilla:0.0.1');
      const changes = [
        'image.tag=0.2.0',
        'config.logLevel=debug',
        'resources.limits.memory=6Gi',
        'service.type=NodePort',
        'externalUrl=https://flotilla.example.com',
        'commonLabels.team=platform',
        'podAnnotations.note=new',
        'nodeSelector.kubernetes\\.io/os=linux',
        'hostAccess.enabled=true',
        'networkPolicy.enabled=true',
        'encryption.sealKeySecret=flotilla-seal-key',
        'terminationGracePeriodSeconds=60',
      ];
      for (const change of changes) await upgrade(change);
      await upgrade(...changes);
      await expectKept(namespace, before);
      const set = await get(namespace, 'statefulset/flotilla');
      expect(valueAt(set, 'spec', 'template', 'metadata')).toMatchObject({
        labels: { tier: 'old', team: 'platform' },
        annotations: { note: 'new' },
      });
      expect(valueAt(set, 'spec', 'template', 'spec')).toMatchObject({
        nodeSelector: { 'kubernetes.io/os': 'linux' },
        terminationGracePeriodSeconds: 60,
      });
      const server = await container('statefulset/flotilla');
      expect(server).toMatchObject({ image: 'flotilla:0.2.0', resources: { limits: { memory: '6Gi' } } });
      expect(listAt(server, 'args')).toContain('--external-url=https://flotilla.example.com');
      expect(listAt(server, 'args')).toContain('--seal-key-file=/etc/flotilla/seal-key/seal.key');
      const settings = textAt(await get(namespace, 'configmap/flotilla'), 'data', 'config.yaml');
      expect(settings).toContain('logLevel: debug');
      expect(textAt(await get(namespace, 'service/flotilla'), 'spec', 'type')).toBe('NodePort');
      const claim = await get(namespace, 'pvc/data-flotilla-0');
      expect(valueAt(claim, 'spec', 'resources', 'requests', 'storage')).toBe('12Gi');
      for (const added of ['networkpolicy/flotilla', 'serviceaccount/flotilla-host', 'secret/flotilla-host'])
        await get(namespace, added);
    });

    it('lets an agent open tunnels, which the previous version cannot', async () => {
      const at = 'upgraded-agent';
      await createNamespace(at);
      const values = [
        'cluster=edge',
        'accessKeySecret=key',
        'server.url=https://flotilla.example.com',
        'logLevel=warn',
      ];
      const flags = ['-n', at, ...flagsOf(values)];
      const previous = 'test/charts/previous/flotilla-agent';
      await expect(kubernetes.helm('install', 'edge', previous, ...flags, '--set', 'tunnel=true')).rejects.toThrow(
        /tunnel.* not allowed/,
      );
      await kubernetes.helm('install', 'edge', previous, ...flags);
      const before = await uids(at);
      await kubernetes.helm('upgrade', 'edge', 'charts/flotilla-agent', ...flags, '--set', 'tunnel=true');
      await expectKept(at, before);
      const args = listAt(await container('deployment/edge-flotilla-agent', at), 'args');
      expect(args).toEqual(expect.arrayContaining(['--tunnel', '--log-level=warn', '--cluster=edge']));
      expect(args.filter((arg) => String(arg).startsWith('--external-url'))).toEqual([]);
    });

    it('to several servers over etcd keeps the volume of the first one', async () => {
      const claim = async () => textAt(await get(namespace, 'pvc/data-flotilla-0'), 'metadata', 'uid');
      const before = await claim();
      const values = ['replicas=3', 'store.type=etcd', 'store.etcd.endpoints={https://etcd:2379}'];
      await upgrade(...values, 'encryption.sealKeySecret=flotilla-seal-key');
      await expect.poll(async () => (await items(namespace, 'pods')).length, { timeout: 30_000 }).toBe(3);
      expect(await claim()).toBe(before);
    });

    it('to a larger volume changes the claim, and no immutable field', async () => {
      // A claim can grow only if it is bound and its storage class allows expansion.
      await kubernetes.kubectl.ok(['create', '-f', '-'], { input: expandableClass });
      await createNamespace('grown');
      const flags = ['-n', 'grown', '--set', 'persistence.storageClassName=expandable'];
      await kubernetes.helm('install', 'flotilla', 'charts/flotilla', ...flags);
      const status = JSON.stringify({ status: { phase: 'Bound', capacity: { storage: '10Gi' } } });
      const claim = 'pvc/data-flotilla-0';
      await kubernetes.kubectl.ok([
        'patch',
        claim,
        '-n',
        'grown',
        '--subresource=status',
        '--type=merge',
        '-p',
        status,
      ]);
      await kubernetes.helm('upgrade', 'flotilla', 'charts/flotilla', ...flags, '--set', 'persistence.size=20Gi');
      const size = valueAt(await get('grown', claim), 'spec', 'resources', 'requests', 'storage');
      expect(size).toBe('20Gi');
    });
  });
});

const expandableClass = JSON.stringify({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'expandable' },
  provisioner: 'example.com/volumes',
  allowVolumeExpansion: true,
});

function definitionOf({ group, kind, plural, versions }: (typeof customKinds)[number]): JsonObject {
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      // The API server requires this annotation on definitions in API groups of Kubernetes.
      annotations: { 'api-approved.kubernetes.io': 'unapproved, for a test' },
    },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: versions.map((name, at) => ({ name, served: true, storage: at === 0, schema: { openAPIV3Schema } })),
    },
  };
}
