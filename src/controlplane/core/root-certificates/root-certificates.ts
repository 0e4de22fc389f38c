import { configMapKind } from '../../../api/core/config-map.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { StatusError } from '../../../api/status.ts';
import type { Log } from '../../../lib/log.ts';
import type { KindStore } from '../../../registry/kind-store.ts';
import type { StoredResource } from '../../../registry/resource.ts';
import { type ObjectRef, resourceKey } from '../../../registry/rows/rows.ts';
import { peekWithoutManagedFields } from '../../../registry/verbs.ts';
import type { RevisionCheck } from '../../../store/store.ts';
import { systemContext } from '../../system-context.ts';
import { builtinNamespaceNames } from '../namespaces/plane-namespaces.ts';
import {
  isRootCertificate,
  restoredRootCertificate,
  rootCertificate,
  rootCertificateName,
} from './root-certificate.ts';

export interface RootCertificatesOptions {
  /**
   * The CA bundle in PEM format that clients of the plane trust. Empty if public CAs verify the address of the plane.
   */
  readonly authority: string;
  namespaces(): KindStore;
  configMaps(): KindStore;
  readonly log: Log;
}

const writing = { dryRun: false, fieldManager: 'kube-controller-manager', fieldValidation: 'Ignore' } as const;

function certificateRef(namespace: string): ObjectRef {
  return { resource: resourceKey(configMapKind), namespace, name: rootCertificateName };
}

/** Hooks of the kinds Namespace and ConfigMap, with which maintenance maintains the ConfigMaps. */
export interface RootCertificateHooks {
  readonly namespaces: Pick<StoredResource, 'requeues'>;
  readonly configMaps: Pick<StoredResource, 'requeues' | 'reconcile'>;
}

/**
 * Maintains the ConfigMap `kube-root-ca.crt` of each namespace. The ConfigMap is created with the namespace, and
 * restored after it is changed or deleted. A write that requires this work records a maintenance row, so only one
 * process does the work, and a crash does not lose it. The ConfigMaps of built-in namespaces are built-in objects.
 */
export class RootCertificates {
  readonly #options: RootCertificatesOptions;

  constructor(options: RootCertificatesOptions) {
    this.#options = options;
  }

  readonly hooks: RootCertificateHooks = {
    namespaces: {
      requeues: (old, next) =>
        old === undefined && next !== undefined ? [certificateRef(next.object.metadata.name ?? '')] : [],
    },
    configMaps: {
      requeues: (old, next) => {
        const { name, namespace = '' } = (next ?? old)?.object.metadata ?? {};
        if (name !== rootCertificateName) return [];
        const isRight = next !== undefined && isRootCertificate(next.object, this.#options.authority);
        return isRight ? [] : [certificateRef(namespace)];
      },
      reconcile: async (namespace, name, fence) => {
        if (name === rootCertificateName) await this.#restore(namespace, fence);
        return undefined;
      },
    },
  };

  /**
   * Requests maintenance of the ConfigMaps that are missing or contain other certificates, for example because an
   * earlier release or a server with other settings wrote them. Never rejects, because the plane must be served even
   * without the ConfigMaps.
   */
  async start(): Promise<void> {
    const { namespaces, configMaps, log } = this.#options;
    const stored = namespaces()
      .peekAll()
      .filter(({ isUnchangedBuiltin }) => isUnchangedBuiltin !== true)
      .map((namespace) => peekWithoutManagedFields(namespace).metadata.name ?? '');
    for (const namespace of new Set([...builtinNamespaceNames, ...stored])) {
      if (!this.#isWrong(namespace)) continue;
      try {
        await configMaps().requestReconcile(namespace, rootCertificateName);
      } catch (error) {
        log.warn({ error, namespace }, `failed to request the ConfigMap ${rootCertificateName}`);
      }
    }
  }

  /**
   * True if the ConfigMap of a namespace is missing or has other contents. False for a namespace that is being deleted.
   */
  #isWrong(namespace: string): boolean {
    const { authority, namespaces, configMaps } = this.#options;
    const present = configMaps().peek(namespace, rootCertificateName);
    if (present?.isUnchangedBuiltin === true) return false;
    if (present !== undefined && isRootCertificate(peekWithoutManagedFields(present), authority)) return false;
    const found = namespaces().peek('', namespace);
    return found !== undefined && peekWithoutManagedFields(found).metadata.deletionTimestamp === undefined;
  }

  async #restore(namespace: string, fence: RevisionCheck | undefined): Promise<void> {
    if (!this.#isWrong(namespace)) return;
    try {
      await this.#write(namespace, this.#options.configMaps().peek(namespace, rootCertificateName)?.object, fence);
    } catch (error) {
      // Ignore the errors of three cases: the namespace is being deleted, another write requests the work again, or a
      // client made the ConfigMap immutable. An immutable ConfigMap is restored after its deletion.
      if (!(error instanceof StatusError) || ![403, 404, 409, 422].includes(error.code)) throw error;
    }
  }

  async #write(namespace: string, present: KubeObject | undefined, fence: RevisionCheck | undefined): Promise<void> {
    const { authority, configMaps } = this.#options;
    const { verbs } = configMaps();
    const context = systemContext(namespace, undefined, fence);
    if (present === undefined) await verbs.create(context, rootCertificate(namespace, authority), writing);
    else await verbs.update(context, rootCertificateName, restoredRootCertificate(present, authority), writing);
  }
}
