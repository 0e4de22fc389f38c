import { afterAll, beforeAll, expect, it } from 'vitest';
import { kubectlMissing } from '../harness/kubectl.ts';
import { type ClusterClient, type LocalCluster, startLocalCluster } from '../harness/local-cluster.ts';
import { describeIfAvailable } from '../harness/suite.ts';

describeIfAvailable(kubectlMissing, 'kubectl in a virtual cluster with the full set of kinds', () => {
  let cluster: LocalCluster;
  let virtual: ClusterClient;
  const ok = (...args: string[]) => virtual.kubectl.ok(args);

  beforeAll(async () => {
    cluster = await startLocalCluster();
    const object = {
      apiVersion: 'storage.platform.sh/v1',
      kind: 'VirtualCluster',
      metadata: { name: 'full', namespace: 'default' },
      spec: { api: 'full' },
    };
    await cluster.kubectl.ok(['create', '-f', '-'], { input: JSON.stringify(object) });
    virtual = cluster.existingVirtualCluster('full');
  });
  afterAll(() => cluster.remove());

  it('lists the additional kinds, which the built-in cluster does not have', async () => {
    const names = (await ok('api-resources', '-o', 'name')).split('\n');
    expect(names).toEqual(expect.arrayContaining(['priorityclasses.scheduling.k8s.io', 'poddisruptionbudgets.policy']));
    expect(await cluster.kubectl.ok(['api-resources', '-o', 'name'])).not.toContain('priorityclasses');
  });

  it('creates, describes, explains and prints their objects', async () => {
    await ok('create', 'priorityclass', 'high', '--value=1000', '--description=High');
    expect(await ok('get', 'pc')).toMatch(/^NAME +VALUE +GLOBAL-DEFAULT +AGE +PREEMPTIONPOLICY\nhigh +1000 +false /);
    expect(await ok('get', 'pc', '-o', 'name')).toContain('priorityclass.scheduling.k8s.io/system-node-critical\n');
    await ok('create', 'poddisruptionbudget', 'web', '--selector=app=web', '--min-available=50%');
    expect(await ok('get', 'pdb', 'web', '--no-headers')).toMatch(/^web +50% +N\/A +0 +/);
    expect(await ok('describe', 'pdb', 'web')).toMatch(/Min available: +50%/);
    expect(await ok('explain', 'pdb.spec.minAvailable')).toMatch(/FIELD: minAvailable <IntOrString>/);
    expect(await ok('explain', 'storageclass')).toContain('volumeBindingMode\t<string>');
  });

  it('creates, scales, changes and deletes workloads', async () => {
    await ok('create', 'deployment', 'web', '--image=nginx:1', '--replicas=2');
    await ok('scale', 'deployment/web', '--current-replicas=2', '--replicas=3');
    await ok('set', 'image', 'deploy/web', 'nginx=nginx:2');
    expect(await ok('get', 'deploy', 'web', '-o', 'wide', '--no-headers')).toMatch(
      /^web +0\/3 +0 +0 +\w+ +nginx +nginx:2 +app=web/,
    );
    expect(await ok('describe', 'deploy', 'web')).toMatch(/Replicas: +3 desired/);
    await ok('create', 'job', 'once', '--image=busybox:1');
    await ok('create', 'cronjob', 'nightly', '--image=busybox:1', '--schedule=0 3 * * *');
    await ok('create', 'job', 'now', '--from=cronjob/nightly');
    expect(await ok('get', 'cj', 'nightly', '--no-headers')).toMatch(
      /^nightly +0 3 \* \* \* +<none> +False +0 +<none>/,
    );
    const all = (await ok('get', 'all', '-o', 'name')).split('\n');
    expect(all).toEqual(expect.arrayContaining(['deployment.apps/web', 'job.batch/now', 'cronjob.batch/nightly']));
    await ok('delete', 'deploy/web', 'job/once', 'job/now', 'cj/nightly');
    expect(await ok('get', 'all', '-o', 'name')).toBe('service/kubernetes\n');
  });

  it('applies with server-side apply, and reports a conflict', async () => {
    const storageClass = (members: object) =>
      JSON.stringify({
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name: 'fast' },
        provisioner: 'example.com/disk',
        ...members,
      });
    const apply = (manager: string, input: string) =>
      virtual.kubectl.run(['apply', '--server-side', `--field-manager=${manager}`, '-f', '-'], { input });
    expect((await apply('one', storageClass({ allowVolumeExpansion: true }))).code).toBe(0);
    const conflict = await apply('two', storageClass({ allowVolumeExpansion: false }));
    expect([conflict.code, conflict.stderr]).toEqual([1, expect.stringContaining('conflict with "one"')]);
    const owned = await ok('get', 'sc', 'fast', '--show-managed-fields', '-o', 'jsonpath={.metadata.managedFields[0]}');
    expect(owned).toContain('f:provisioner');
    expect(owned).not.toContain('f:reclaimPolicy');
    expect(await ok('get', 'sc', 'fast', '-o', 'jsonpath={.reclaimPolicy}')).toBe('Delete');
  });

  it('creates services with addresses and node ports', async () => {
    expect(await ok('get', 'svc', 'kubernetes', '--no-headers')).toMatch(
      /^kubernetes +ClusterIP +10\.96\.0\.1 +<none> +443\/TCP /,
    );
    await ok('create', 'service', 'nodeport', 'web', '--tcp=80:8080', '--node-port=30080');
    expect(await ok('get', 'svc', 'web', '--no-headers')).toMatch(
      /^web +NodePort +10\.96\.\d+\.\d+ +<none> +80:30080\/TCP /,
    );
    const address = await ok('get', 'svc', 'web', '-o', 'jsonpath={.spec.clusterIP}');
    expect(await ok('get', 'ip', address, '--no-headers')).toMatch(/ services\/default\/web /);
    expect(await ok('describe', 'svc', 'web')).toMatch(/NodePort: +80-8080 +30080\/TCP/);
  });

  it('claims devices, and removes claims with their pods and namespaces', async () => {
    const create = (object: object) => virtual.kubectl.ok(['create', '-f', '-'], { input: JSON.stringify(object) });
    const claim = (metadata: object) => ({
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      metadata: { name: 'gpu', ...metadata },
      spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu' } }] } },
    });
    await ok('run', 'trainer', '--image=busybox:1');
    const uid = await ok('get', 'pod', 'trainer', '-o', 'jsonpath={.metadata.uid}');
    await create(claim({ ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'trainer', uid }] }));
    expect(await ok('get', 'resourceclaims')).toMatch(/^NAME +STATE +AGE\ngpu +pending /);
    const results = [{ request: 'gpu', driver: 'gpu.example.com', pool: 'node-1', device: 'gpu-0' }];
    const patch = JSON.stringify({ status: { allocation: { devices: { results } } } });
    await ok('patch', 'resourceclaim', 'gpu', '--subresource=status', '--type=merge', '-p', patch);
    expect(await ok('get', 'resourceclaim', 'gpu', '--no-headers')).toMatch(/^gpu +allocated /);
    expect(await ok('describe', 'resourceclaim', 'gpu')).toMatch(/Device Class Name: +gpu/);
    expect(await ok('explain', 'resourceclaims.spec.devices.requests.exactly')).toContain('allocationMode\t<string>');
    await ok('delete', 'pod', 'trainer', '--now');
    await ok('wait', '--for=delete', 'resourceclaim/gpu', '--timeout=20s');
    await ok('create', 'namespace', 'devices');
    await create(claim({ namespace: 'devices' }));
    await ok('delete', 'namespace', 'devices', '--timeout=20s');
    expect(await ok('get', 'resourceclaims', '-A')).toBe('');
  });

  it('keeps the objects over a restart', async () => {
    cluster = await cluster.restart();
    virtual = cluster.existingVirtualCluster('full');
    const taken = ['create', 'service', 'nodeport', 'other', '--tcp=80', '--node-port=30080'];
    expect((await virtual.kubectl.run(taken)).stderr).toContain('provided port is already allocated');
    expect(await ok('get', 'pdb,sc,pc', '-o', 'name')).toContain('storageclass.storage.k8s.io/fast');
  });
});
