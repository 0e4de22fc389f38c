import type { Store } from '../../store/store.ts';
import type { EtcdStoreSettings } from '../settings/store-settings.ts';
import { readEtcdCredentials } from './read-etcd-credentials.ts';

/**
 * Opens a store on etcd for a command that works without a server. Rejects with StoreError if the store does not exist.
 */
export async function openExistingEtcdStore(etcd: EtcdStoreSettings): Promise<Store> {
  const credentials = await readEtcdCredentials(etcd);
  const { openEtcdStore } = await import('../../store/etcd/etcd-store.ts');
  return await openEtcdStore({ endpoints: etcd.endpoints, prefix: etcd.prefix, credentials, mustExist: true });
}
