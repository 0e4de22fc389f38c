import { withNewInstallationIsolation } from '../../api/management/host-isolation/default-isolation.ts';
import { defaultManagementSettings, newInstallationLifetimes } from '../../management/settings.ts';
import type { Store } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';
import type { ConfiguredOptions, ServerOptions } from '../settings/options.ts';
import { hasSealedValues, type InstallationRowName, installationKey } from './installation.ts';

/**
 * Sets the defaults of new installations for settings that the configuration leaves out: maximum lifetimes of access
 * keys, and the isolation of host namespaces. An older installation, created before these defaults existed, keeps its
 * keys without expiry and its open namespaces. Must be called before the seal key is recorded, because a missing seal
 * key identifies the first start.
 */
export async function withInstallationDefaults(options: ConfiguredOptions, store: Store): Promise<ServerOptions> {
  const { accessKeys, hosts } = options.management;
  const isFirstStart = !(await hasSealedValues(store));
  const hasLifetimes = await hasDefaults(store, 'key-lifetimes', isFirstStart);
  const hasIsolation = await hasDefaults(store, 'host-isolation', isFirstStart);
  const defaults = hasLifetimes ? newInstallationLifetimes : defaultManagementSettings.accessKeys;
  const lifetimes = {
    maxTTL: accessKeys.maxTTL ?? defaults.maxTTL,
    maxUnscopedTTL: accessKeys.maxUnscopedTTL ?? defaults.maxUnscopedTTL,
  };
  const isolation = hasIsolation ? withNewInstallationIsolation(hosts.isolation) : hosts.isolation;
  const management = {
    ...options.management,
    accessKeys: { ...accessKeys, ...lifetimes },
    hosts: { ...hosts, isolation },
  };
  return { ...options, management };
}

/**
 * True if the installation was created with the defaults that `row` stands for. The first start records this in the
 * row. `isFirstStart` must be determined before this call, because a concurrent first start of another server writes
 * the row before the seal key.
 */
async function hasDefaults(store: Store, row: InstallationRowName, isFirstStart: boolean): Promise<boolean> {
  const key = installationKey(row);
  if ((await store.get(key)) !== undefined) return true;
  if (!isFirstStart) return false;
  try {
    await store.transact({ checks: [{ key, revision: undefined }], writes: [{ key, value: '1' }] });
  } catch (error) {
    // Continues after CheckFailed: another server recorded the row at the same time.
    if (!(error instanceof StoreError) || error.code !== 'CheckFailed') throw error;
  }
  return true;
}
