import { beforeAll, describe } from 'vitest';
import { defaultRbacObjects } from '../../../../src/controlplane/rbac/default-objects.ts';
import { type ComparedTest, comparedTests } from '../../area.ts';
import { applyPatch, asTable, jsonPatch, mergePatch } from '../../gadgets.ts';
import type { Pair, SendOptions } from '../../pair.ts';
import { untilEffective } from '../../rbac-effective.ts';

const group = '/apis/rbac.authorization.k8s.io/v1';
const namespace = 'rbac-answers';
const inNamespace = `${group}/namespaces/${namespace}`;
const reviews = '/apis/authorization.k8s.io/v1';

/**
 * Fields of tables that differ: ages depend on the time of the request, and each server words the descriptions and
 * types of columns differently.
 */
const ofTables = /\.cells\[\d\]$|\.description$|columnDefinitions\[1\]\.type$/;

type Send = (
  method: string,
  path: string,
  json?: unknown,
  as?: readonly string[],
  options?: SendOptions,
) => Promise<unknown>;

/** Compares roles and bindings: validation, the permission to write them, and messages of refusals. */
export function rbacAnswers(pair: Pair): void {
  describe('Roles and bindings', () => {
    /** Sends a request. `as` is the impersonated user, with an optional group. */
    const send: Send = (method, path, json, as = [], options = {}) => {
      const [user, of] = as;
      const headers = {
        ...(user === undefined ? {} : { 'impersonate-user': user }),
        ...(of === undefined ? {} : { 'impersonate-group': of }),
      };
      return pair.send({ method, path, headers, ...(json === undefined ? {} : { json }) }, options);
    };
    beforeAll(async () => {
      const json = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
      await pair.prepare({ method: 'POST', path: '/api/v1/namespaces', json });
    });
    const compared = comparedTests(pair);
    validation(compared, send);
    changes(compared, send, pair);
    defaults(compared, send);
    escalation(compared, send, pair);
  });
}

const named = (name: string, rest: object = {}) => ({ metadata: { name }, ...rest });

function validation(compared: ComparedTest, send: Send): void {
  compared('roles are created and refused alike', async () => {
    const post = (rules: unknown, rest: object = {}) =>
      send('POST', `${group}/clusterroles`, named('r', { rules, ...rest }));
    for (const rules of [[{}], [{ verbs: ['get'] }], [{ verbs: [] }], [null], 'x', [{ verbs: 'get' }], { a: 'b' }])
      await post(rules);
    const both = { verbs: ['get'], nonResourceURLs: ['/a'], resources: ['x'], resourceNames: ['a'] };
    await post([both, { nonResourceURLs: ['/a'] }]);
    await send(
      'POST',
      `${inNamespace}/roles`,
      named('r', { rules: [both, { nonResourceURLs: ['/a'] }, { verbs: ['get'] }] }),
    );
    await post(undefined, { aggregationRule: {} });
    await post(undefined, { aggregationRule: { clusterRoleSelectors: [] } });
    const matchExpressions = [
      { key: 'a', operator: 'Foo' },
      { key: 'a', operator: 'In' },
      { key: 'b', operator: 'Exists', values: ['c'] },
    ];
    await post(undefined, {
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { '-a': 'b' } }, { matchExpressions }] },
    });
    for (const name of ['a/b', '..', 'a%', 'A:b_c', 'x'.repeat(300), '']) {
      await send('POST', `${group}/clusterroles?dryRun=All`, named(name));
    }
    await send('POST', `${group}/clusterroles`, named('none'), [], { keepAs: 'none' });
    await send('POST', `${group}/clusterroles`, named('empty', { rules: [] }));
    await send('POST', `${group}/clusterroles?fieldValidation=Strict`, named('odd', { rule: [] }));
    const rule = { resources: ['x'], apiGroups: [''], verbs: ['get'], resourceNames: [], nonResourceURLs: null };
    await send('POST', `${inNamespace}/roles`, named('full', { rules: [rule] }));
  });

  compared('bindings are created and refused alike', async () => {
    const cluster = (rest: object) => send('POST', `${group}/clusterrolebindings`, named('b', rest));
    const local = (rest: object) => send('POST', `${inNamespace}/rolebindings`, named('b', rest));
    await cluster({});
    await local({});
    const roleRef = { kind: 'ClusterRole', name: 'view' };
    const subjects = [
      {},
      { kind: 'User' },
      { kind: 'Group', name: 'g', apiGroup: 'x' },
      { kind: 'ServiceAccount', name: 'A_b', apiGroup: 'x' },
      { kind: 'ServiceAccount', name: 'a' },
      { kind: 'User', name: 'u', namespace: 'n' },
      { kind: 'Node', name: 'n' },
    ];
    await cluster({ roleRef: { kind: 'Role', name: 'a/b', apiGroup: 'x' }, subjects });
    await local({ roleRef: { kind: 'Foo', name: '' }, subjects });
    for (const odd of ['x', { a: 'b' }, ['x'], [1], [{ name: 1 }]]) await local({ roleRef, subjects: odd });
    await local({
      roleRef: { kind: 'Role', name: 'x' },
      subjects: [
        { kind: 'ServiceAccount', name: 'a' },
        { kind: 'User', name: 'u' },
      ],
    });
    await send('POST', `${inNamespace}/rolebindings`, named('none', { roleRef, subjects: [] }));
    await cluster({ roleRef, subjects: [{ name: 'g', kind: 'Group' }] });
  });
}

function changes(compared: ComparedTest, send: Send, pair: Pair): void {
  const patch = (path: string, type: string, body: unknown, options?: SendOptions) =>
    pair.send({ method: 'PATCH', path, headers: { 'content-type': type }, body: JSON.stringify(body) }, options);
  const strategicPatch = 'application/strategic-merge-patch+json';

  compared('they are replaced, patched and applied alike', async () => {
    const rule = { verbs: ['get'], apiGroups: [''], resources: ['x'] };
    const other = { ...rule, verbs: ['list'] };
    await send('PUT', `${inNamespace}/roles/put`, named('put', { rules: [rule] }));
    await send('PUT', `${inNamespace}/roles/put`, named('put', { rules: [other] }));
    await patch(`${inNamespace}/roles/put`, strategicPatch, { rules: [rule] });
    await patch(`${inNamespace}/roles/put`, jsonPatch, [{ op: 'add', path: '/rules', value: [rule, other] }]);
    await patch(`${inNamespace}/roles/put`, jsonPatch, [{ op: 'add', path: '/rules/-', value: rule }]);
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'put' } };
    await patch(`${inNamespace}/roles/put?fieldManager=one`, applyPatch, { ...role, rules: [rule] });
    await patch(`${inNamespace}/roles/put?fieldManager=one&force=true`, applyPatch, { ...role, rules: [rule] });
    await patch(`${inNamespace}/roles/full`, mergePatch, { rules: null });
    const roleRef = { kind: 'Role', name: 'put' };
    const subject = { kind: 'User', name: 'u' };
    const binding = { ...role, kind: 'RoleBinding', metadata: { name: 'applied' }, roleRef, subjects: [subject] };
    await patch(`${inNamespace}/rolebindings/applied?fieldManager=one`, applyPatch, binding);
    await patch(`${inNamespace}/rolebindings/applied`, strategicPatch, { subjects: [{ kind: 'Group', name: 'g' }] });
    await send(
      'PUT',
      `${inNamespace}/rolebindings/applied`,
      named('applied', { roleRef: { kind: 'ClusterRole', name: 'y' } }),
    );
    await patch(`${inNamespace}/rolebindings/applied`, mergePatch, { roleRef: { name: 'other' } });
    await send(
      'PUT',
      `${group}/clusterrolebindings/made`,
      named('made', { roleRef: { kind: 'ClusterRole', name: 'y' } }),
    );
    await send('DELETE', `${group}/clusterrolebindings/made`);
  });

  compared('they are shown in the same tables', async () => {
    for (const path of [`${inNamespace}/roles`, `${inNamespace}/rolebindings`, `${group}/clusterroles/none`]) {
      await pair.send({ path, headers: { accept: asTable } }, { ignoredFields: ofTables });
    }
    await send('GET', `${inNamespace}/rolebindings`);
    await send('GET', `${inNamespace}/roles?fieldSelector=metadata.name%3Dput`);
  });
}

function defaults(compared: ComparedTest, send: Send): void {
  compared('every plane has the default roles of Kubernetes', async () => {
    const plural: Readonly<Record<string, string>> = {
      ClusterRole: `${group}/clusterroles`,
      ClusterRoleBinding: `${group}/clusterrolebindings`,
      Role: `${group}/namespaces/kube-system/roles`,
    };
    // kube-apiserver writes the default roles one after another. In this server they exist from the start.
    const versions = /^body\.metadata\.resourceVersion$/;
    // kube-apiserver runs without a controller manager, so nothing aggregates cluster roles.
    const versionsAndRules = /^body\.(rules|metadata\.(resourceVersion|managedFields))/;
    for (const { kind, metadata, aggregationRule } of defaultRbacObjects()) {
      const apart = aggregationRule === undefined ? versions : versionsAndRules;
      await send('GET', `${plural[kind]}/${metadata.name}`, undefined, [], { ignoredFields: apart });
    }
  });
}

function escalation(compared: ComparedTest, send: Send, pair: Pair): void {
  const manager = ['mia', 'ops'];
  const managing = {
    verbs: ['get', 'create', 'update', 'patch', 'delete', 'list'],
    apiGroups: ['rbac.authorization.k8s.io'],
    resources: ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'],
  };
  const readsMaps = { verbs: ['get'], apiGroups: [''], resources: ['configmaps', '*/status'] };

  compared('authorization to write roles and bindings is alike', async () => {
    const bind = (name: string, role: string, ...subjects: object[]) =>
      pair.prepare({
        method: 'POST',
        path: `${group}/clusterrolebindings`,
        json: named(name, { roleRef: { kind: 'ClusterRole', name: role }, subjects }),
      });
    const make = (name: string, ...rules: object[]) =>
      pair.prepare({ method: 'POST', path: `${group}/clusterroles`, json: named(name, { rules }) });
    await make('managing', managing, readsMaps);
    await bind('managing', 'managing', { kind: 'User', name: 'mia' });
    await untilEffective(pair, { user: 'mia', verb: 'create', group: 'rbac.authorization.k8s.io', resource: 'roles' });

    const role = (name: string, ...rules: object[]) =>
      send('POST', `${inNamespace}/roles`, named(name, { rules }), manager);
    const clusterRole = (name: string, ...rules: object[]) =>
      send('POST', `${group}/clusterroles`, named(name, { rules }), manager);
    await role('held', { ...readsMaps, resourceNames: ['one'] });
    await role('sub', { verbs: ['get'], apiGroups: [''], resources: ['pods/status'] });
    await role('lacking', {
      verbs: ['get', 'list'],
      apiGroups: ['', 'x'],
      resources: ['configmaps', 'pods'],
      resourceNames: ['q'],
    });
    await role('odd', {}, { verbs: ['get'] });
    await clusterRole('paths', { verbs: ['get', 'put'], nonResourceURLs: ['/a', '/healthz', '/api/*'] });
    await clusterRole('everything', { verbs: ['*'], apiGroups: ['*'], resources: ['*'] });
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] };
    await send('POST', `${group}/clusterroles`, named('following', { aggregationRule }), manager);
    await send('PUT', `${group}/clusterroles/view`, named('view', { rules: [] }), manager);
    const binding = (name: string, kind: string, of: string) =>
      send('POST', `${inNamespace}/rolebindings`, named(name, { roleRef: { kind, name: of }, subjects: [] }), manager);
    await binding('b1', 'Role', 'held');
    await binding('b2', 'ClusterRole', 'cluster-admin');
    await binding('b3', 'Role', 'gone');
    await binding('b4', 'ClusterRole', 'gone');
    await binding('b5', 'Odd', 'gone');

    await bind('lost', 'lost', { kind: 'User', name: 'mia' }, { kind: 'Group', name: 'lost' });
    await untilEffective(pair, { user: 'x', groups: ['lost'], reason: /"lost" not found/ });
    await role('again', { verbs: ['list'], apiGroups: [''], resources: ['configmaps'] });
    await binding('b6', 'ClusterRole', 'cluster-admin');
    await send('GET', '/api/v1/configmaps', undefined, ['nobody', 'lost']);
    await send('GET', '/somewhere', undefined, ['nobody', 'lost']);
    await send('GET', `/api/v1/namespaces/${namespace}/secrets/x`, undefined, ['nobody']);
    await send('DELETE', `${group}/clusterroles`, undefined, ['nobody']);
  });

  compared('resource names, escalate, bind and impersonate are permissions like others', async () => {
    const rights = [
      {
        verbs: ['escalate', 'bind'],
        apiGroups: ['rbac.authorization.k8s.io'],
        resources: ['roles', 'clusterroles'],
        resourceNames: ['held', 'view'],
      },
      {
        verbs: ['impersonate'],
        apiGroups: ['', 'authentication.k8s.io'],
        resources: ['users', 'groups', 'userextras/team', 'uids'],
        resourceNames: ['una', 'crew', 'red', '7'],
      },
      { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['configmaps'], resourceNames: ['one'] },
    ];
    await pair.prepare({ method: 'POST', path: `${group}/clusterroles`, json: named('more', { rules: rights }) });
    const json = named('more', {
      roleRef: { kind: 'ClusterRole', name: 'more' },
      subjects: [{ kind: 'User', name: 'mia' }],
    });
    await pair.prepare({ method: 'POST', path: `${group}/clusterrolebindings`, json });
    await untilEffective(pair, { user: 'mia', verb: 'impersonate', resource: 'users', name: 'una' });
    const all = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
    await send('PUT', `${inNamespace}/roles/held`, named('held', { rules: [all] }), manager);
    await send('POST', `${inNamespace}/roles`, named('unheld', { rules: [all] }), manager);
    await pair.prepare({ method: 'DELETE', path: `${inNamespace}/roles/held` });
    await send('POST', `${inNamespace}/roles`, named('held', { rules: [all] }), manager);
    await send('PUT', `${inNamespace}/roles/held`, named('held', { rules: [all] }), manager);
    const binding = (name: string, of: string) =>
      send('POST', `${inNamespace}/rolebindings`, named(name, { roleRef: { kind: 'ClusterRole', name: of } }), manager);
    await binding('c1', 'view');
    await binding('c2', 'system:auth-delegator');
    const maps = `/api/v1/namespaces/${namespace}/configmaps`;
    for (const path of [maps, `${maps}/one`, `${maps}/two`, `${maps}?fieldSelector=metadata.name%3Done`]) {
      await send('GET', path, undefined, manager);
    }
    await send(
      'POST',
      `${reviews}/selfsubjectaccessreviews`,
      { spec: { resourceAttributes: { verb: 'watch', resource: 'configmaps', name: 'one' } } },
      ['mia'],
      { ignoredFields: /managedFields/ },
    );
    await send('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, ['mia', 'ops']);
    await send('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, ['system:serviceaccount:a:bot']);
    await send('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, ['system:serviceaccount:A:bot']);
    await send('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, ['system:anonymous']);
  });
}
