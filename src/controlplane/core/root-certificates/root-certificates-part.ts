import { configMapKind } from '../../../api/core/config-map.ts';
import { namespaceKind } from '../../../api/core/namespace.ts';
import { storeOf } from '../../../registry/kind-stores.ts';
import type { PartDependencies, PlanePart } from '../../plane-part.ts';
import { builtinRootCertificates } from './root-certificate.ts';
import { type RootCertificateHooks, RootCertificates } from './root-certificates.ts';

export type { RootCertificateHooks } from './root-certificates.ts';

export interface RootCertificatesPart extends PlanePart {
  /** Hooks of the kinds Namespace and ConfigMap, for the core part (`CoreDependencies.rootCertificates`). */
  readonly hooks: RootCertificateHooks;
}

/**
 * The ConfigMap `kube-root-ca.crt` in each namespace. `authority` is the CA bundle in PEM format that clients of the
 * plane trust; it is empty if public CAs verify the address of the plane.
 */
export function rootCertificatesPart(
  { plane, log }: Pick<PartDependencies, 'plane' | 'log'>,
  authority: string,
): RootCertificatesPart {
  const certificates = new RootCertificates({
    authority,
    namespaces: () => storeOf(plane().kinds, namespaceKind),
    configMaps: () => storeOf(plane().kinds, configMapKind),
    log,
  });
  return {
    resources: [],
    mount: () => [],
    builtinObjects: builtinRootCertificates(authority),
    hooks: certificates.hooks,
    async start() {
      await certificates.start();
      return () => {};
    },
  };
}
