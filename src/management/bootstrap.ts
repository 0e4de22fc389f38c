import type { JsonObject } from '@flotilla/json';
import { accessKeyKind } from '../api/management/v1/access-key.ts';
import { clusterKind } from '../api/management/v1/cluster.ts';
import { projectKind } from '../api/management/v1/project.ts';
import { spaceTemplateKind } from '../api/management/v1/space-template.ts';
import { userKind } from '../api/management/v1/user.ts';
import { virtualClusterTemplateKind } from '../api/management/v1/virtual-cluster-template.ts';
import { apiVersionOf, type KubeObject } from '../api/meta.ts';
import { adminsGroup, adminUser, builtInClusterName, defaultProject, defaultTemplate } from '../api/naming.ts';
import type { ResourceKind } from '../api/resource.ts';
import { StatusError } from '../api/status.ts';
import { generateAccessKey } from '../auth/access-key-format.ts';
import { systemContext } from '../controlplane/system-context.ts';
import type { KindStore } from '../registry/kind-store.ts';
import { type KindStores, storeOf } from '../registry/kind-stores.ts';
import type { WriteOptions } from '../registry/verbs.ts';

export interface BootstrapOptions {
  /**
   * Saves the value of the admin's access key before the key is stored. If the server crashes between these two steps,
   * there is a saved value without effect. In the opposite order, there could be an installation to which nobody can
   * log in.
   */
  saveKey?(key: string): Promise<void>;
  /** Removes the saved value of the key, because another server has created the admin's access key at the same time. */
  discardKey?(): Promise<void>;
  /** Waits until the caches contain all objects that other servers have created. Optional; defaults to no other servers. */
  refresh?(): Promise<void>;
  readonly signal?: AbortSignal;
}

const writing: WriteOptions = { dryRun: false, fieldManager: 'bootstrap', fieldValidation: 'Strict' };

function objectOf<Spec extends JsonObject>(
  kind: ResourceKind<{ spec?: Spec }>,
  name: string,
  spec: NoInfer<Spec>,
): KubeObject {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: { name }, spec };
}

/**
 * Returns the initial objects of an installation. The User object comes last, so if it exists, all other initial
 * objects have been created.
 */
export function bootstrapObjects(): readonly KubeObject[] {
  return [
    objectOf(virtualClusterTemplateKind, defaultTemplate, {
      displayName: 'Control plane',
      description: 'A virtual cluster with default settings.',
      template: {},
    }),
    objectOf(clusterKind, builtInClusterName, {
      displayName: 'Local',
      description: 'The built-in cluster of this server.',
      local: true,
    }),
    objectOf(projectKind, defaultProject, {
      displayName: 'Default',
      owner: { user: adminUser },
      allowedClusters: [{ name: '*' }],
      allowedTemplates: [virtualClusterTemplateKind, spaceTemplateKind].map(({ kind }) => ({ kind, name: '*' })),
    }),
    objectOf(userKind, adminUser, { displayName: 'Administrator', groups: [adminsGroup] }),
  ];
}

/**
 * Creates the initial objects if there is no user yet, and the admin's access key if there is no key at all. Returns
 * the value of the key if it was created. An interrupted bootstrap resumes at the next start. If several servers
 * bootstrap at the same time, each object is created by one of them.
 */
export async function bootstrap(stores: KindStores, options: BootstrapOptions = {}): Promise<string | undefined> {
  await options.refresh?.();
  if (isEmpty(storeOf(stores, userKind))) {
    for (const object of bootstrapObjects()) await createIfAbsent(storeOfObject(stores, object), object, options);
    await options.refresh?.();
  }
  const keys = storeOf(stores, accessKeyKind);
  if (!isEmpty(keys) || storeOf(stores, userKind).peek('', adminUser) === undefined) return undefined;
  const key = generateAccessKey();
  await options.saveKey?.(key);
  const spec = { displayName: 'Administrator, created at the first start', user: adminUser, type: 'User', key };
  if (await createIfAbsent(keys, objectOf(accessKeyKind, adminUser, spec), options)) return key;
  await options.discardKey?.();
  return undefined;
}

/** Creates an object. Returns false if it exists already, even if another server creates it at the same time. */
async function createIfAbsent(store: KindStore, object: KubeObject, options: BootstrapOptions): Promise<boolean> {
  const exists = () => store.peek('', object.metadata.name ?? '') !== undefined;
  if (exists()) return false;
  try {
    await store.verbs.create(systemContext('', options.signal), object, writing);
    return true;
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 409) throw error;
    await options.refresh?.();
    if (!exists()) throw error;
    return false;
  }
}

function storeOfObject(stores: KindStores, object: KubeObject): KindStore {
  for (const store of stores.values()) if (store.resource.kind === object.kind) return store;
  throw new Error(`no store for ${object.kind}`);
}

function isEmpty(store: KindStore): boolean {
  return store.count() === 0;
}
