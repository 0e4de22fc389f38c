import { afterAll, beforeAll, expect, it } from 'vitest';
import { storageGroup } from '../../src/api/naming.ts';
import { type Kubectl, kubectlMissing } from '../harness/kubectl.ts';
import { type LocalCluster, startLocalCluster } from '../harness/local-cluster.ts';
import { describeIfAvailable } from '../harness/suite.ts';

describeIfAvailable(kubectlMissing, 'roles and bindings of a virtual cluster, with kubectl', () => {
  let local: LocalCluster;
  let kubectl: Kubectl;

  beforeAll(async () => {
    local = await startLocalCluster();
    ({ kubectl } = await local.virtualCluster('one'));
    await kubectl.ok(['create', 'namespace', 'a']);
    await kubectl.ok(['create', 'configmap', 'one', '-n', 'a']);
  });
  afterAll(() => local.remove());

  const yesOrNo = async (...args: string[]) => (await kubectl.run(['auth', 'can-i', ...args])).stdout.trim();

  it('are created, shown and described (KUBECTL-10, KUBECTL-32)', async () => {
    await kubectl.ok(['create', 'role', 'reader', '-n', 'a', '--verb=get,list,watch', '--resource=configmaps']);
    const named = ['--verb=get', '--resource=secrets', '--resource-name=known'];
    await kubectl.ok(['create', 'role', 'one-secret', '-n', 'a', ...named]);
    const bound = ['--role=reader', '--user=una', '--group=crew', '--serviceaccount=a:bot'];
    await kubectl.ok(['create', 'rolebinding', 'readers', '-n', 'a', ...bound]);
    await kubectl.ok(['create', 'clusterrole', 'health', '--verb=get', '--non-resource-url=/x/*']);
    await kubectl.ok(['create', 'clusterrolebinding', 'health', '--clusterrole=health', '--user=una']);
    expect(await kubectl.ok(['get', 'role', '-n', 'a'])).toMatch(/^NAME +CREATED AT\none-secret +\d{4}-\d\d-\d\dT/);
    expect(await kubectl.ok(['get', 'rolebindings', '-n', 'a', '-o', 'wide'])).toMatch(
      /^NAME +ROLE +AGE +USERS +GROUPS +SERVICEACCOUNTS\nreaders +Role\/reader +\S+ +una +crew +a\/bot\n$/,
    );
    expect(await kubectl.ok(['describe', 'role', 'reader', '-n', 'a'])).toMatch(
      /configmaps +\[\] +\[\] +\[get list watch\]/,
    );
    expect(await kubectl.ok(['describe', 'clusterrolebinding', 'health'])).toMatch(
      /Role:\n +Kind: +ClusterRole\n +Name: +health/,
    );
    expect(await kubectl.ok(['explain', 'rolebinding.roleRef'])).toContain('<string> -required-');
  });

  it('answer access reviews (AUTHZ-01, AUTHZ-08)', async () => {
    expect(await yesOrNo('list', 'configmaps', '-n', 'a', '--as=una')).toBe('yes');
    expect(await yesOrNo('list', 'configmaps', '-n', 'a', '--as=zoe', '--as-group=crew')).toBe('yes');
    expect(await yesOrNo('list', 'configmaps', '-n', 'default', '--as=una')).toBe('no');
    expect(await yesOrNo('get', '/x/y', '--as=una')).toBe('yes');
    expect(await yesOrNo('*', '*')).toBe('yes');
    const list = await kubectl.ok(['auth', 'can-i', '--list', '-n', 'a', '--as=una']);
    expect(list).toMatch(/configmaps +\[\] +\[\] +\[get list watch\]/);
    expect(list).toMatch(/\[\/x\/\*\] +\[\] +\[get\]/);
    expect(await kubectl.ok(['auth', 'whoami', '--as=una', '--as-group=crew'])).toMatch(
      /Username +una\nGroups +\[crew system:authenticated\]/,
    );
  });

  it('are enforced on requests, with the reasons that Kubernetes gives (ERR-10)', async () => {
    expect(await kubectl.ok(['get', 'configmaps', '-n', 'a', '-o', 'name', '--as=una'])).toContain('configmap/one');
    const refused = await kubectl.run(['delete', 'configmap', 'one', '-n', 'a', '--as=una']);
    expect(refused.stderr).toContain(
      'configmaps "one" is forbidden: User "una" cannot delete resource "configmaps" in API group "" in the namespace "a"',
    );
    await kubectl.ok(['create', 'clusterrolebinding', 'lost', '--clusterrole=lost', '--user=una']);
    expect((await kubectl.run(['get', 'secrets', '-n', 'a', '--as=una'])).stderr).toContain(
      'RBAC: clusterrole.rbac.authorization.k8s.io "lost" not found',
    );
    await kubectl.ok(['delete', 'clusterrolebinding', 'lost']);
  });

  it('can be limited to names, for reads, lists and watches of them (AUTHZ-09, REQ-06)', async () => {
    await kubectl.ok([
      'create',
      'role',
      'only-one',
      '-n',
      'a',
      '--verb=get,list,watch',
      '--resource=configmaps',
      '--resource-name=one',
    ]);
    await kubectl.ok(['create', 'rolebinding', 'only-one', '-n', 'a', '--role=only-one', '--user=solo']);
    await kubectl.ok(['get', 'configmap', 'one', '-n', 'a', '--as=solo']);
    await kubectl.ok(['get', 'configmap', '--field-selector=metadata.name=one', '-n', 'a', '--as=solo']);
    expect((await kubectl.run(['get', 'configmaps', '-n', 'a', '--as=solo'])).stderr).toContain('cannot list resource');
    await kubectl.ok(['label', 'configmap', 'one', '-n', 'a', 'seen=yes']);
    const jsonPath = '--for=jsonpath={.metadata.labels.seen}=yes';
    await kubectl.ok(['wait', 'configmap/one', '-n', 'a', jsonPath, '--timeout=10s', '--as=solo']);
  });

  it('apply to service accounts with their tokens', async () => {
    await kubectl.ok(['create', 'serviceaccount', 'bot', '-n', 'a']);
    const token = (await kubectl.ok(['create', 'token', 'bot', '-n', 'a'])).trim();
    const bot = local.existingVirtualCluster('one').withToken(token).kubectl;
    expect(await bot.ok(['get', 'configmaps', '-n', 'a', '-o', 'name'])).toContain('configmap/one');
    expect((await bot.run(['get', 'secrets', '-n', 'a'])).stderr).toContain(
      'User "system:serviceaccount:a:bot" cannot list',
    );
    expect(await bot.ok(['auth', 'whoami'])).toContain('system:serviceaccounts:a');
  });

  it('control impersonation, for each part of the identity (AUTHZ-08)', async () => {
    const impersonate = (apiGroup: string, resource: string, name: string) => ({
      apiGroups: [apiGroup],
      resources: [resource],
      resourceNames: [name],
      verbs: ['impersonate'],
    });
    const rules = [
      impersonate('', 'users', 'una'),
      impersonate('', 'groups', 'crew'),
      impersonate('', 'serviceaccounts', 'bot'),
      impersonate('authentication.k8s.io', 'uids', '7'),
    ];
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'actor' },
      rules,
    };
    await kubectl.ok(['create', '-f', '-'], { input: JSON.stringify(role) });
    await kubectl.ok(['create', 'serviceaccount', 'actor', '-n', 'a']);
    await kubectl.ok(['create', 'clusterrolebinding', 'actor', '--clusterrole=actor', '--serviceaccount=a:actor']);
    const token = (await kubectl.ok(['create', 'token', 'actor', '-n', 'a'])).trim();
    const actor = local.existingVirtualCluster('one').withToken(token).kubectl;
    const whoAmI = async (...args: string[]) =>
      JSON.parse(await actor.ok(['auth', 'whoami', '-o', 'json', ...args])).status.userInfo;
    expect(await whoAmI('--as=una', '--as-group=crew', '--as-uid=7')).toEqual({
      username: 'una',
      uid: '7',
      groups: ['crew', 'system:authenticated'],
    });
    expect((await whoAmI('--as=system:serviceaccount:a:bot')).groups).toContain('system:serviceaccounts:a');
    // For a non-resource path, `kubectl auth can-i` does not read discovery, which the server would refuse too.
    const refusal = async (...args: string[]) => (await actor.run(['auth', 'can-i', 'get', '/x', ...args])).stderr;
    const cannot = (what: string) => `cannot impersonate resource "${what}" in API group`;
    expect(await refusal('--as=zoe')).toContain(cannot('users'));
    expect(await refusal('--as=una', '--as-group=system:masters')).toContain(cannot('groups'));
    expect(await refusal('--as=una', '--as-uid=8')).toContain(cannot('uids'));
    expect(await refusal('--as=system:serviceaccount:b:actor')).toContain(cannot('serviceaccounts'));
  });

  it('cannot be used to escalate permissions', async () => {
    await kubectl.ok(['create', 'rolebinding', 'mia', '-n', 'a', '--clusterrole=admin', '--user=mia']);
    await kubectl.ok(['create', 'role', 'held', '-n', 'a', '--verb=get', '--resource=configmaps', '--as=mia']);
    const lacking = await kubectl.run([
      'create',
      'role',
      'more',
      '-n',
      'a',
      '--verb=get',
      '--resource=ships.sea.io',
      '--as=mia',
    ]);
    // kubectl looks the resource up in discovery first. If discovery lacks the resource, kubectl itself fails.
    expect(lacking.code).not.toBe(0);
    const refused = await kubectl.run([
      'create',
      'rolebinding',
      'top',
      '-n',
      'a',
      '--clusterrole=cluster-admin',
      '--user=mia',
      '--as=mia',
    ]);
    expect(refused.stderr).toContain(
      'user "mia" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:["*"], Resources:["*"], Verbs:["*"]}',
    );
    await kubectl.ok(['create', 'rolebinding', 'friend', '-n', 'a', '--clusterrole=view', '--user=finn', '--as=mia']);
  });

  it('are reconciled (KUBECTL-25)', async () => {
    const manifest = (verbs: string[], users: string[]) =>
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'List',
        items: [
          {
            apiVersion: 'rbac.authorization.k8s.io/v1',
            kind: 'ClusterRole',
            metadata: { name: 'kept' },
            rules: [{ apiGroups: [''], resources: ['configmaps'], verbs }],
          },
          {
            apiVersion: 'rbac.authorization.k8s.io/v1',
            kind: 'ClusterRoleBinding',
            metadata: { name: 'kept' },
            roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'kept' },
            subjects: users.map((name) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name })),
          },
        ],
      });
    const reconcile = (input: string, ...args: string[]) =>
      kubectl.ok(['auth', 'reconcile', '-f', '-', ...args], { input });
    expect(await reconcile(manifest(['get'], ['una']))).toContain(
      'clusterrole.rbac.authorization.k8s.io/kept reconciled',
    );
    await reconcile(manifest(['list'], ['zoe']));
    expect(await yesOrNo('get', 'configmaps', '--as=una')).toBe('yes');
    expect(await yesOrNo('list', 'configmaps', '--as=zoe')).toBe('yes');
    await reconcile(manifest(['list'], ['zoe']), '--remove-extra-permissions', '--remove-extra-subjects');
    expect(await yesOrNo('get', 'configmaps', '--as=zoe')).toBe('no');
    expect(await yesOrNo('list', 'configmaps', '--as=una')).toBe('no');
  });

  it('follow labels if they aggregate, and are applied, diffed and edited like others', async () => {
    const role = (verbs: string[]) =>
      JSON.stringify({
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: 'leasing', labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } },
        rules: [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs }],
      });
    await kubectl.ok(['apply', '-f', '-'], { input: role(['get']) });
    const has = '--for=jsonpath={.rules[?(@.apiGroups[0]=="coordination.k8s.io")].verbs[0]}=get';
    await kubectl.ok(['wait', 'clusterrole/view', has, '--timeout=10s']);
    expect(await yesOrNo('get', 'leases', '-n', 'a', '--as=finn')).toBe('yes');
    expect((await kubectl.run(['diff', '-f', '-'], { input: role(['get', 'list']) })).stdout).toContain('+  - list');
    await kubectl.ok(['apply', '--server-side', '--force-conflicts', '-f', '-'], { input: role(['get', 'list']) });
    const patch = '[{"op":"replace","path":"/rules/0/verbs","value":["watch"]}]';
    await kubectl.ok(['patch', 'clusterrole', 'leasing', '--type=json', '-p', patch]);
    await kubectl.ok(['delete', 'clusterrole', 'leasing']);
    expect(await kubectl.ok(['create', 'clusterrole', 'all', '--aggregation-rule=sea=x', '-o', 'yaml'])).toContain(
      'aggregationRule',
    );
  });

  it('include the defaults of Kubernetes, which are restored when the server restarts', async () => {
    const names = await kubectl.ok([
      'get',
      'clusterroles',
      '-l',
      'kubernetes.io/bootstrapping=rbac-defaults',
      '-o',
      'name',
    ]);
    for (const name of ['admin', 'cluster-admin', 'edit', 'view', 'system:discovery', 'system:aggregate-to-edit']) {
      expect(names).toContain(`/${name}\n`);
    }
    await kubectl.ok(['delete', 'clusterrole', 'view', 'system:basic-user']);
    expect((await kubectl.run(['get', 'clusterrole', 'view'])).stderr).toContain('not found');
    local = await local.restart();
    ({ kubectl } = local.existingVirtualCluster('one'));
    await kubectl.ok(['get', 'clusterrole', 'view', 'system:basic-user']);
    expect(await yesOrNo('list', 'configmaps', '-n', 'a', '--as=finn')).toBe('yes');
  });

  it('control in the built-in cluster who can access its virtual clusters', async () => {
    await local.kubectl.ok(['create', 'serviceaccount', 'visitor']);
    const token = (await local.kubectl.ok(['create', 'token', 'visitor'])).trim();
    const visitor = local.existingVirtualCluster('one').withToken(token).kubectl;
    expect((await visitor.run(['get', 'configmaps', '-n', 'a'])).stderr).toContain('Forbidden');
    const asked = ['auth', 'can-i', 'get', 'virtualclusters/one', '--subresource=proxy'];
    expect((await local.withToken(token).kubectl.run(asked)).stdout).toBe('no\n');
    const right = ['--verb=get', `--resource=virtualclusters.${storageGroup}/proxy`, '--resource-name=one'];
    await local.kubectl.ok(['create', 'role', 'visitors', ...right]);
    await local.kubectl.ok([
      'create',
      'rolebinding',
      'visitors',
      '--role=visitors',
      '--serviceaccount=default:visitor',
    ]);
    expect((await local.withToken(token).kubectl.run(asked)).stdout).toBe('yes\n');
    expect((await visitor.run(['get', 'configmaps', '-n', 'a'])).stderr).toMatch(
      /User "\S+:visitor" cannot list resource "configmaps" in API group "" in the namespace "a"/,
    );
  });
});
