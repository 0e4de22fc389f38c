import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Kubectl, kubectlMissing } from '../harness/kubectl.ts';
import { type LocalCluster, startLocalCluster } from '../harness/local-cluster.ts';
import { describeIfAvailable } from '../harness/suite.ts';

describeIfAvailable(kubectlMissing, 'kubectl and the core kinds of a cluster', () => {
  let cluster: LocalCluster;
  let kubectl: Kubectl;
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-e2e-'));

  beforeAll(async () => {
    cluster = await startLocalCluster();
    ({ kubectl } = await cluster.virtualCluster('core'));
    await kubectl.ok(['create', 'namespace', 'team']);
    await kubectl.ok(['config', 'set-context', '--current', '--namespace', 'team']);
  });
  afterAll(async () => {
    await cluster.remove();
    rmSync(folder, { recursive: true });
  });

  const json = async (...args: string[]) => JSON.parse(await kubectl.ok([...args, '-o', 'json']));
  const refused = async (...args: string[]) => {
    const { code, stderr } = await kubectl.run(args);
    expect(code).not.toBe(0);
    return stderr;
  };

  it('creates config maps from literals and files, and changes them in every way', async () => {
    const file = join(folder, 'bytes.bin');
    writeFileSync(file, Buffer.from([0, 255, 1, 254]));
    await kubectl.ok(['create', 'configmap', 'settings', '--from-literal=color=red', `--from-file=${file}`]);
    expect(await json('get', 'cm', 'settings')).toMatchObject({
      data: { color: 'red' },
      binaryData: { 'bytes.bin': 'AP8B/g==' },
    });
    expect(await kubectl.ok(['get', 'cm', 'settings'])).toMatch(/^NAME +DATA +AGE\nsettings +2 +\d+s\n$/);
    await kubectl.ok(['patch', 'cm', 'settings', '-p', '{"data":{"color":null,"shade":"dark"}}']);
    await kubectl.ok(['label', 'cm', 'settings', 'tier=front']);
    await kubectl.ok(['annotate', 'cm', 'settings', 'note=kept']);
    const edited = await json('get', 'cm', '-l', 'tier=front');
    expect(edited.items).toMatchObject([{ data: { shade: 'dark' }, metadata: { annotations: { note: 'kept' } } }]);
    await kubectl.ok(['patch', 'cm', 'settings', '-p', '{"immutable":true}']);
    expect(await refused('patch', 'cm', 'settings', '-p', '{"data":{"shade":"light"}}')).toContain(
      'data: Forbidden: field is immutable when `immutable` is set',
    );
    expect(await refused('create', 'cm', 'settings')).toContain('configmaps "settings" already exists');
    await kubectl.ok(['delete', 'cm', 'settings']);
  });

  it('applies, diffs and replaces config maps, and prunes removed ones', async () => {
    const map = (data: object) =>
      JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied' }, data });
    const apply = (data: object, ...more: string[]) => kubectl.ok(['apply', '-f', '-', ...more], { input: map(data) });
    expect(await apply({ a: '1', b: '2' })).toContain('created');
    const { code, stdout } = await kubectl.run(['diff', '-f', '-'], { input: map({ a: '1', c: '3' }) });
    expect(code).toBe(1);
    expect(stdout).toMatch(/-\s+b: "2"\n\+\s+c: "3"/);
    expect(await apply({ a: '1', c: '3' })).toContain('configured');
    expect((await json('get', 'cm', 'applied')).data).toEqual({ a: '1', c: '3' });
    expect(await apply({ a: '4' }, '--server-side', '--force-conflicts')).toContain('serverside-applied');
    await kubectl.ok(['replace', '-f', '-'], { input: map({ d: '5' }) });
    expect((await json('get', 'cm', 'applied')).data).toEqual({ d: '5' });
  });

  it('creates secrets of every type, and prints them', async () => {
    await kubectl.ok(['create', 'secret', 'generic', 'plain', '--from-literal=password=hunter2']);
    const registry = ['--docker-username=me', '--docker-password=mine', '--docker-server=registry.example'];
    await kubectl.ok(['create', 'secret', 'docker-registry', 'registry', ...registry]);
    expect(await kubectl.ok(['get', 'secrets'])).toMatch(
      /NAME +TYPE +DATA +AGE\nplain +Opaque +1 +\d+s\nregistry +kubernetes.io\/dockerconfigjson +1 +\d+s\n/,
    );
    const described = await kubectl.ok(['describe', 'secret', 'plain']);
    expect(described).toContain('password:  7 bytes');
    expect(described).not.toContain('hunter2');
    expect(await kubectl.ok(['get', 'secret', 'plain', '-o', 'jsonpath={.data.password}'])).toBe('aHVudGVyMg==');
    expect((await json('get', 'secrets', '--field-selector', 'type=Opaque')).items).toHaveLength(1);
    const typed = JSON.stringify({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'bad' },
      type: 'kubernetes.io/tls',
    });
    const { stderr } = await kubectl.run(['create', '-f', '-'], { input: typed });
    expect(stderr).toContain('data[tls.crt]: Required value');
  });

  it('creates service accounts and tokens that work until they expire', async () => {
    expect(await kubectl.ok(['get', 'sa', '-o', 'name'])).toBe('serviceaccount/default\n');
    await kubectl.ok(['create', 'serviceaccount', 'robot']);
    await kubectl.ok(['create', 'rolebinding', 'robot', '--clusterrole=view', '--serviceaccount=team:robot']);
    const token = (await kubectl.ok(['create', 'token', 'robot', '--duration=20m'])).trim();
    const robot = cluster.existingVirtualCluster('core').withToken(token).kubectl;
    expect(await robot.ok(['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}'])).toBe(
      'system:serviceaccount:team:robot',
    );
    expect(await robot.ok(['get', 'cm', '-n', 'team', '-o', 'name'])).toContain('configmap/applied');
    expect((await robot.run(['get', 'secrets', '-n', 'team'])).stderr).toContain(
      'User "system:serviceaccount:team:robot" cannot list resource "secrets" in API group "" in the namespace "team"',
    );
    expect(await refused('create', 'token', 'robot', '--duration=1m')).toContain(
      'may not specify a duration less than 10 minutes',
    );
    expect(await refused('create', 'token', 'nobody')).toContain('serviceaccounts "nobody" not found');
    const bound = ['--bound-object-kind=Secret', '--bound-object-name=plain'];
    const boundToken = (await kubectl.ok(['create', 'token', 'robot', ...bound])).trim();
    const boundRobot = cluster.existingVirtualCluster('core').withToken(boundToken).kubectl;
    await boundRobot.ok(['auth', 'whoami']);
    await kubectl.ok(['delete', 'secret', 'plain']);
    expect((await boundRobot.run(['auth', 'whoami'])).code).not.toBe(0);
    await kubectl.ok(['delete', 'sa', 'robot']);
    await kubectl.ok(['create', 'sa', 'robot']);
    expect((await robot.run(['auth', 'whoami'])).code).not.toBe(0);
  });

  it('fills in service account token secrets, which are valid as long as they exist', async () => {
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'lasting', annotations: { 'kubernetes.io/service-account.name': 'default' } },
      type: 'kubernetes.io/service-account-token',
    };
    await kubectl.ok(['create', '-f', '-'], { input: JSON.stringify(secret) });
    await kubectl.ok(['wait', 'secret/lasting', '--for=jsonpath={.data.token}', '--timeout=10s']);
    const uid = await kubectl.ok(['get', 'sa', 'default', '-o', 'jsonpath={.metadata.uid}']);
    expect(await kubectl.ok(['describe', 'secret', 'lasting'])).toMatch(
      new RegExp(`service-account.uid: ${uid}\\n\\nType: +kubernetes.io/service-account-token\\n`),
    );
    const encoded = await kubectl.ok(['get', 'secret', 'lasting', '-o', 'jsonpath={.data.token}']);
    const lasting = cluster.existingVirtualCluster('core').withToken(Buffer.from(encoded, 'base64').toString()).kubectl;
    expect(await lasting.ok(['auth', 'whoami'])).toContain('system:serviceaccount:team:default');
    await kubectl.ok(['delete', 'secret', 'lasting']);
    expect((await lasting.run(['auth', 'whoami'])).code).not.toBe(0);
  });

  it('creates and describes quotas, and is limited by them', async () => {
    await kubectl.ok(['create', 'namespace', 'small']);
    const inSmall = (...args: string[]) => kubectl.ok([...args, '-n', 'small']);
    await inSmall('create', 'quota', 'limits', '--hard=configmaps=3,count/leases.coordination.k8s.io=1,pods=5');
    // The quota of 3 config maps allows only two more, because the namespace already contains kube-root-ca.crt.
    await inSmall('create', 'cm', 'one');
    await inSmall('create', 'cm', 'two');
    const { stderr } = await kubectl.run(['create', 'cm', 'three', '-n', 'small']);
    expect(stderr).toContain(
      'configmaps "three" is forbidden: exceeded quota: limits, requested: configmaps=1, used: configmaps=3, limited: configmaps=3',
    );
    const described = await inSmall('describe', 'quota', 'limits');
    expect(described).toMatch(/configmaps +3 +3\ncount\/leases.coordination.k8s.io +0 +1\npods +0 +5/);
    expect(await inSmall('get', 'quota')).toMatch(/NAME +REQUEST +LIMIT +AGE\nlimits +configmaps: 3\/3, count\/leases/);
    expect(await inSmall('describe', 'namespace', 'small')).toMatch(/Resource Quotas\n +Name: +limits/);
    await inSmall('patch', 'quota', 'limits', '-p', '{"spec":{"hard":{"configmaps":"4"}}}');
    await inSmall('create', 'cm', 'three');
    expect(await refused('create', 'quota', 'bad', '-n', 'small', '--hard=nonsense=1')).toContain(
      'must be a standard resource type or fully qualified',
    );
  });

  it('shows events, in the current form and in the old one', async () => {
    const { uid } = (await json('get', 'cm', 'applied')).metadata;
    const involvedObject = { kind: 'ConfigMap', namespace: 'team', name: 'applied', apiVersion: 'v1', uid };
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'applied.1' },
      involvedObject,
      reason: 'Painted',
      message: 'It is red now.',
      type: 'Normal',
      source: { component: 'painter' },
      firstTimestamp: new Date().toISOString().replace(/\.\d+/, ''),
      lastTimestamp: new Date().toISOString().replace(/\.\d+/, ''),
      count: 1,
    };
    await kubectl.ok(['create', '-f', '-'], { input: JSON.stringify(event) });
    expect(await kubectl.ok(['get', 'events'])).toMatch(
      /^LAST SEEN +TYPE +REASON +OBJECT +MESSAGE\n\S+ +Normal +Painted +configmap\/applied +It is red now\.\n$/,
    );
    expect(await kubectl.ok(['events', '--for', 'configmap/applied'])).toContain('It is red now.');
    expect(await kubectl.ok(['get', 'events.events.k8s.io', '-o', 'jsonpath={.items[0].note}'])).toBe('It is red now.');
    expect(await kubectl.ok(['describe', 'cm', 'applied'])).toContain('Painted');
  });

  it('knows the short names and the fields of the kinds', async () => {
    expect(await kubectl.ok(['get', 'cm,sa,quota,ev', '-o', 'name'])).toContain('serviceaccount/default');
    expect(await kubectl.ok(['explain', 'secret.stringData'])).toContain('Write-only');
    expect(await kubectl.ok(['explain', 'quota.spec.hard'])).toContain('FIELD: hard');
    expect(await kubectl.ok(['explain', 'sa.imagePullSecrets'])).toContain('<[]LocalObjectReference>');
  });
});
