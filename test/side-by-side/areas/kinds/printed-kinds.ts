import { describe } from 'vitest';
import { comparedTests } from '../../area.ts';
import { asTable } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';

const namespace = 'printed';
const core = `/api/v1/namespaces/${namespace}`;
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const initialEvents = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';

/** Compares minimal objects of each kind as tables and with their managed fields. */
export function printedKinds(pair: Pair): void {
  describe('Printed kinds', () => {
    const compared = comparedTests(pair);
    const post = (path: string, json: unknown) => pair.send({ method: 'POST', path, json });
    const apply = (path: string, json: unknown, query = '?fieldManager=m') =>
      pair.send({
        method: 'PATCH',
        path: path + query,
        body: JSON.stringify(json),
        headers: { 'content-type': 'application/apply-patch+yaml' },
      });

    compared('have the members of their structs, including empty ones (CREATE-01, DEC-25, SSA-22)', async () => {
      await post('/api/v1/namespaces', { metadata: { name: namespace } });
      await post(`${core}/configmaps`, { data: {}, metadata: { name: 'empty', labels: {} } });
      await post(`${core}/configmaps`, { metadata: { name: 'binary' }, binaryData: { b: 'AAE=' }, data: { a: '' } });
      await post(`${core}/secrets`, { stringData: { z: '1' }, metadata: { name: 'one' } });
      await post(`${core}/serviceaccounts`, { metadata: { name: 'one' } });
      await post(`${core}/events`, { metadata: { name: 'bare' }, involvedObject: { namespace } });
      await post(`/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`, { metadata: { name: 'bare' } });
      await post(`${rbac}/namespaces/${namespace}/roles`, { metadata: { name: 'bare' } });
      await post(`${rbac}/namespaces/${namespace}/roles`, {
        rules: [{ verbs: ['get'], resources: ['configmaps'], apiGroups: [''] }],
        metadata: { name: 'one' },
      });
      await post(`${rbac}/namespaces/${namespace}/rolebindings`, {
        roleRef: { name: 'one', kind: 'Role', apiGroup: 'rbac.authorization.k8s.io' },
        metadata: { name: 'one' },
      });
    });

    compared('are applied with their lists (SSA-07, SSA-12, SSA-22, SSA-23)', async () => {
      const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'z', uid: '1' };
      const map = (members: object) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'applied' },
        ...members,
      });
      await apply(`${core}/configmaps/applied`, map({ data: { k: 'v' } }));
      await apply(`${core}/configmaps/applied`, map({ data: { k: 'w' } }), '?fieldManager=other');
      await apply(`${core}/configmaps/applied`, map({ data: { k: 'w' } }), '?fieldManager=other&force=true');
      await apply(`${core}/configmaps/applied`, map({ nope: 1 }));
      await apply(`${core}/configmaps/applied`, map({ data: 'x' }));
      await apply(
        `${core}/configmaps/owned?dryRun=All&fieldManager=m`,
        {
          ...map({}),
          metadata: { name: 'owned', finalizers: ['a.b/c'], ownerReferences: [owner] },
        },
        '',
      );
      const account = (secrets: string[]) => ({
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'applied' },
        secrets: secrets.map((name) => ({ name })),
      });
      await apply(`${core}/serviceaccounts/applied`, account(['a', 'b']));
      await apply(`${core}/serviceaccounts/applied`, account(['b']));
      await apply(`${core}/status`, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespace },
        status: { conditions: [{ type: 'A', status: 'True' }] },
      });
    });

    compared('have the cells of an empty object in the bookmarks of a Table watch (TABLE-06, WATCH-30)', async () => {
      const inNamespace = ['configmaps', 'secrets', 'serviceaccounts', 'resourcequotas', 'events'];
      const paths = [
        '/api/v1/namespaces',
        ...inNamespace.map((plural) => `${core}/${plural}`),
        `/apis/events.k8s.io/v1/namespaces/${namespace}/events`,
        `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`,
        ...['roles', 'rolebindings'].map((plural) => `${rbac}/namespaces/${namespace}/${plural}`),
        ...['clusterroles', 'clusterrolebindings'].map((plural) => `${rbac}/${plural}`),
        '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
        '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
        '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
      ];
      const query = `${initialEvents}&timeoutSeconds=1&labelSelector=selects%3Dnothing`;
      await pair.sendAll(
        paths.map((path) => ({ path: `${path}?${query}`, headers: { accept: asTable } })),
        { isStream: true, ignoredFields: /\.description$/ },
      );
    });

    compared('are listed (LIST-01, NEG-25)', async () => {
      await pair.send({ path: `${core}/configmaps?fieldSelector=metadata.name%3Dbinary` });
      await pair.send({ path: `${rbac}/namespaces/${namespace}/roles` });
      await pair.send({ path: `${core}/configmaps/binary`, headers: { accept: 'application/yaml' } });
    });
  });
}
