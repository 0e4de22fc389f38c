import { listAt, textAt } from '@flotilla/json';
import type { Kubernetes } from './start-kubernetes.ts';

const kept = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];
const collections = [
  '/apis/apps/v1/namespaces/NAMESPACE/statefulsets',
  '/apis/apps/v1/namespaces/NAMESPACE/deployments',
  '/api/v1/namespaces/NAMESPACE/secrets',
  '/api/v1/namespaces/NAMESPACE/persistentvolumeclaims',
  '/api/v1/namespaces/NAMESPACE/pods',
];

/**
 * Deletes every namespace that a test has created, and uninstalls the helm releases in it. Deletes the important
 * objects itself and then removes the finalizer of the namespace, because the controllers of the cluster wait five
 * seconds before they start.
 */
export async function wipeNamespaces({ api, helm }: Pick<Kubernetes, 'api' | 'helm'>): Promise<void> {
  const list = await api.ok('GET', '/api/v1/namespaces');
  const names = listAt(list, 'items').map((item) => textAt(item, 'metadata', 'name'));
  await Promise.all(names.filter((name) => !kept.includes(name)).map(wipe));

  async function wipe(namespace: string): Promise<void> {
    const releases = (await helm('list', '--all', '--short', '--namespace', namespace)).split('\n').filter(Boolean);
    for (const name of releases) await helm('uninstall', name, '--namespace', namespace, '--no-hooks');
    for (const collection of collections) {
      const path = collection.replace('NAMESPACE', namespace);
      await api.ok('DELETE', `${path}?propagationPolicy=Background&gracePeriodSeconds=0`);
    }
    for (;;) {
      const pods = await api.ok('GET', `/api/v1/namespaces/${namespace}/pods`);
      if (listAt(pods, 'items').length === 0) break;
    }
    await api.request('DELETE', `/api/v1/namespaces/${namespace}`);
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace }, spec: { finalizers: [] } };
    await api.request('PUT', `/api/v1/namespaces/${namespace}/finalize`, body);
    for (;;) {
      if ((await api.request('GET', `/api/v1/namespaces/${namespace}`)).code === 404) return;
    }
  }
}
