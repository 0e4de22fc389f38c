import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { Kinds, refusal } from './kubernetes-kinds.fixture.ts';
import { fullSetKinds } from './kubernetes-kinds-part.ts';

const priorityClasses = 'priorityclasses.scheduling.k8s.io';
const storageClasses = 'storageclasses.storage.k8s.io';
const claims = 'persistentvolumeclaims';
const request = (storage: string) => ({ accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } });
const budgets = 'poddisruptionbudgets.policy';

describe('the kinds of the full set', () => {
  it('have a struct, a schema and unique names', () => {
    for (const kind of fullSetKinds) expect([kind.plural, kind.schema.type]).toEqual([kind.plural, 'object']);
    const keys = fullSetKinds.map(({ group, plural }) => `${plural}.${group}`);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('have the priority classes of the system, which cannot be deleted', async () => {
    const kinds = await Kinds.open();
    expect(await refusal(kinds.remove(priorityClasses, 'system-node-critical'))).toBe(
      'priorityclasses.scheduling.k8s.io "system-node-critical" is forbidden: this is a system priority class and cannot be deleted',
    );
    expect(await refusal(kinds.create(priorityClasses, 'system-mine', { value: 1 }))).toContain(
      "priority class names with 'system-' prefix are reserved for system use only. error: system-mine is not a known system priority class",
    );
  });

  it('have defaults, a generation and columns', async () => {
    const kinds = await Kinds.open();
    const created = await kinds.create(priorityClasses, 'high', { value: 10 });
    expect(created).toMatchObject({ metadata: { generation: 1 }, value: 10, preemptionPolicy: 'PreemptLowerPriority' });
    expect(kinds.cells(priorityClasses, created)).toEqual(['high', 10, false, '0s', 'PreemptLowerPriority']);
    const changed = await kinds.update(priorityClasses, created, { description: 'High.' });
    expect(changed.metadata.generation).toBe(1);
    const driver = await kinds.create('csidrivers.storage.k8s.io', 'driver.example');
    expect([driver.metadata.generation, driver.spec]).toEqual([
      undefined,
      expect.objectContaining({ attachRequired: true, volumeLifecycleModes: ['Persistent'] }),
    ]);
    const withCapacity = { spec: { ...(driver.spec as JsonObject), storageCapacity: true } };
    expect((await kinds.update('csidrivers.storage.k8s.io', driver, withCapacity)).metadata.generation).toBe(1);
  });

  it('allow only one default priority class', async () => {
    const kinds = await Kinds.open();
    const first = await kinds.create(priorityClasses, 'first', { value: 1, globalDefault: true });
    expect(await refusal(kinds.create(priorityClasses, 'second', { value: 2, globalDefault: true }))).toBe(
      'priorityclasses.scheduling.k8s.io "second" is forbidden: PriorityClass first is already marked as default. Only one default can exist',
    );
    await kinds.update(priorityClasses, first, { description: 'The default.' });
  });

  it('refuse invalid objects and changes of immutable fields', async () => {
    const kinds = await Kinds.open();
    expect(await refusal(kinds.create(storageClasses, 'bad', { reclaimPolicy: 'Recycle' }))).toBe(
      'StorageClass.storage.k8s.io "bad" is invalid: [provisioner: Required value, reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"]',
    );
    const created = await kinds.create(storageClasses, 'fast', {
      provisioner: 'example.com/disk',
      metadata: { name: 'fast', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    });
    expect(kinds.cells(storageClasses, created)).toEqual([
      'fast (default)',
      'example.com/disk',
      'Delete',
      'Immediate',
      false,
      '0s',
    ]);
    expect(await refusal(kinds.update(storageClasses, created, { provisioner: 'example.com/other' }))).toContain(
      'provisioner: Invalid value: "example.com/other": field is immutable',
    );
  });

  it('warn about deprecated labels', async () => {
    const kinds = await Kinds.open();
    const matchLabelExpressions = [{ key: 'beta.kubernetes.io/os', values: ['linux'] }];
    await kinds.create(storageClasses, 'old', {
      provisioner: 'a.b/c',
      allowedTopologies: [{ matchLabelExpressions }],
    });
    expect(kinds.warnings).toEqual([
      'allowedTopologies[0].matchLabelExpressions[0].key: deprecated since v1.14; use "kubernetes.io/os" instead',
    ]);
  });

  it('have a status that only the subresource writes, and that keeps the spec', async () => {
    const kinds = await Kinds.open();
    const status = { disruptionsAllowed: 2, currentHealthy: 3, desiredHealthy: 1, expectedPods: 3 };
    const spec = { minAvailable: '50%', selector: { matchLabels: { app: 'web' } } };
    const created = await kinds.create(budgets, 'web', { spec, status });
    expect(created.status).toMatchObject({ disruptionsAllowed: 0 });
    const written = await kinds.updateStatus(budgets, created, {
      spec: { minAvailable: 7 },
      status,
      metadata: { ...created.metadata, labels: { a: 'b' } },
    });
    expect([written.spec, written.status, written.metadata.labels]).toEqual([created.spec, status, { a: 'b' }]);
    expect(written.metadata.generation).toBe(1);
    expect(kinds.cells(budgets, written)).toEqual(['web', '50%', 'N/A', 2, '0s']);
    const negative = kinds.updateStatus(budgets, written, { status: { ...status, expectedPods: -1 } });
    expect(await refusal(negative)).toContain(
      'status.expectedPods: Invalid value: -1: must be greater than or equal to 0',
    );
    expect(await refusal(kinds.create(budgets, 'both', { spec: { minAvailable: 1, maxUnavailable: 1 } }))).toContain(
      'spec: Invalid value: {"MinAvailable":1,"Selector":null,"MaxUnavailable":1,"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
    );
  });

  it('show ingresses, network policies and runtime classes in columns', async () => {
    const kinds = await Kinds.open();
    const backend = { service: { name: 'web', port: { number: 80 } } };
    const http = { paths: [{ path: '/', pathType: 'Prefix', backend }] };
    const rules = ['a', 'b', 'c', 'd'].map((host) => ({ host: `${host}.example`, http }));
    const ingresses = 'ingresses.networking.k8s.io';
    const created = await kinds.create(ingresses, 'web', { spec: { rules, tls: [{}], ingressClassName: 'c' } });
    const points = [{ hostname: 'lb.example' }, { ip: '10.0.0.1' }];
    const shown = await kinds.updateStatus(ingresses, created, { status: { loadBalancer: { ingress: points } } });
    const hosts = 'a.example,b.example,c.example + 1 more...';
    expect(kinds.cells(ingresses, shown)).toEqual(['web', 'c', hosts, '10.0.0.1,lb.example', '80, 443', '0s']);
    const matchExpressions = [
      { key: 'b', operator: 'NotIn', values: ['y', 'x'] },
      { key: 'c', operator: 'Exists' },
      { key: 'd', operator: 'DoesNotExist' },
    ];
    const policies = 'networkpolicies.networking.k8s.io';
    const spec = { podSelector: { matchLabels: { a: '1' }, matchExpressions } };
    const policy = await kinds.create(policies, 'policy', { spec });
    expect(kinds.cells(policies, policy)).toEqual(['policy', 'a=1,b notin (x,y),c,!d', '0s']);
    const runtime = await kinds.create('runtimeclasses.node.k8s.io', 'kata', { handler: 'kata' });
    expect(kinds.cells('runtimeclasses.node.k8s.io', runtime)).toEqual(['kata', 'kata', '0s']);
  });

  it('include pod templates with defaults, columns and warnings', async () => {
    const kinds = await Kinds.open();
    const env = [{ name: 'A' }, { name: 'A' }];
    const containers = [
      { name: 'web', image: 'nginx', lifecycle: { stopSignal: 'SIGINT' } },
      { name: 'side', image: 'x:1', env },
    ];
    const metadata = { labels: { b: '2', a: '1' }, annotations: { 'pod.beta.kubernetes.io/init-containers': 'x' } };
    const spec = { containers, serviceAccount: 'robot' };
    const created = await kinds.create('podtemplates', 'pods', { template: { metadata, spec } });
    expect(kinds.cells('podtemplates', created)).toEqual(['pods', 'web,side', 'nginx,x:1', 'a=1,b=2']);
    expect(created).toMatchObject({
      metadata: { generation: 1 },
      template: { spec: { serviceAccount: 'robot', serviceAccountName: 'robot', dnsPolicy: 'ClusterFirst' } },
    });
    expect(JSON.stringify(created.template)).not.toMatch(/stopSignal|lifecycle|init-containers/);
    const hidden =
      'template.spec.containers[1].env[1]: hides previous definition of "A", which may be dropped when using apply';
    expect(kinds.warnings).toEqual([hidden]);
    await kinds.update('podtemplates', created, { metadata: { ...created.metadata, labels: { a: 'b' } } });
    expect(kinds.warnings).toEqual([hidden]);
    expect(await refusal(kinds.create('podtemplates', 'bad'))).toBe(
      'PodTemplate "bad" is invalid: template.spec.containers: Required value',
    );
  });

  it('warn about classes in annotations, ranges and labels of nodes', async () => {
    const kinds = await Kinds.open();
    await kinds.create('ingresses.networking.k8s.io', 'old', {
      metadata: { name: 'old', annotations: { 'kubernetes.io/ingress.class': 'c' } },
      spec: { defaultBackend: { service: { name: 'web', port: { name: 'http' } } } },
    });
    const to = [{ ipBlock: { cidr: '2001:DB8::/32' } }];
    await kinds.create('networkpolicies.networking.k8s.io', 'six', { spec: { egress: [{ to }] } });
    const scheduling = { nodeSelector: { 'beta.kubernetes.io/os': 'linux' } };
    await kinds.create('runtimeclasses.node.k8s.io', 'linux', { handler: 'runc', scheduling });
    expect(kinds.warnings).toEqual([
      `annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`,
      'spec.egress[0].to[0].ipBlock.cidr: IPv6 CIDR value "2001:DB8::/32" should be in RFC 5952 canonical format ("2001:db8::/32")',
      'scheduling.nodeSelector: deprecated since v1.14; use "kubernetes.io/os" instead',
    ]);
  });

  it('give claims the default storage class and keep them within the limits of their namespace', async () => {
    const kinds = await Kinds.open();
    const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
    const members = { metadata: { name: 'fast', annotations }, provisioner: 'p', allowVolumeExpansion: true };
    await kinds.create(storageClasses, 'fast', members);
    const limit = { type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '2Gi' } };
    await kinds.create('limitranges', 'claims', { spec: { limits: [limit] } });
    const small = kinds.create(claims, 'small', { spec: request('1Mi') });
    expect(await refusal(small)).toBe(
      'persistentvolumeclaims "small" is forbidden: minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi',
    );
    const claim = await kinds.create(claims, 'claim', { spec: request('1Gi') });
    expect([claim.spec, claim.status]).toEqual([
      { ...request('1Gi'), volumeMode: 'Filesystem', storageClassName: 'fast' },
      { phase: 'Pending' },
    ]);
    expect(kinds.cells(claims, claim)).toEqual(['claim', 'Pending', '', '', '', 'fast', '<unset>', '0s', 'Filesystem']);
  });

  it('list a limited number of the limits that a claim breaks', async () => {
    const kinds = await Kinds.open();
    const min = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`example.com/r${at}`, '1']));
    const limit = { type: 'PersistentVolumeClaim', min: { ...min, storage: '1Gi' } };
    await kinds.create('limitranges', 'claims', { spec: { limits: [limit] } });
    const message = await refusal(kinds.create(claims, 'claim', { spec: request('1Gi') }));
    expect(message.split('No request is specified')).toHaveLength(101);
  });

  it('let only bound claims grow', async () => {
    const kinds = await Kinds.open();
    await kinds.create(storageClasses, 'fast', { provisioner: 'p', allowVolumeExpansion: true });
    const spec = { ...request('1Gi'), storageClassName: 'fast', volumeMode: 'Filesystem' };
    const claim = await kinds.create(claims, 'claim', { spec });
    const grown = { spec: { ...spec, ...request('2Gi') } };
    expect(await refusal(kinds.update(claims, claim, grown))).toContain('spec is immutable after creation except');
    const bound = await kinds.updateStatus(claims, claim, { status: { phase: 'Bound', capacity: { storage: '1Gi' } } });
    const larger = await kinds.update(claims, bound, grown);
    expect(await refusal(kinds.update(claims, larger, { spec }))).toContain(
      'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
    );
    const other = { spec: { ...spec, ...request('2Gi'), storageClassName: 'other', accessModes: ['ReadOnlyMany'] } };
    expect(await refusal(kinds.update(claims, larger, other))).toContain('changed: accessModes, storageClassName');
  });

  it('record when the phase of a volume changes, and return removed volumes', async () => {
    const kinds = await Kinds.open();
    const volumes = 'persistentvolumes';
    const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], nfs: { server: 's', path: '/p' } };
    const volume = await kinds.create(volumes, 'v', { spec, status: { phase: 'Bound' } });
    expect(volume.status).toEqual({ phase: 'Pending', lastPhaseTransitionTime: expect.any(String) });
    const written = await kinds.updateStatus(volumes, volume, { status: { phase: 'Bound' } });
    expect(written.status).toEqual({ phase: 'Bound', lastPhaseTransitionTime: expect.any(String) });
    expect(kinds.cells(volumes, written)).toEqual([
      'v',
      '1Gi',
      'RWO',
      'Retain',
      'Bound',
      '',
      '',
      '<unset>',
      '',
      '0s',
      'Filesystem',
    ]);
    expect(await kinds.remove(volumes, 'v')).toMatchObject({ isRemoved: true });
  });
});
