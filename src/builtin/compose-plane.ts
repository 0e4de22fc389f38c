import { type ApiSet, apiSets } from '../api/storage/api-set.ts';
import type { UserInfo } from '../api/user-info.ts';
import type { Attributes } from '../auth/authz/attributes.ts';
import type { Identity } from '../auth/identity.ts';
import { type CoreDependencies, corePart } from '../controlplane/core/core-part.ts';
import { rootCertificatesPart } from '../controlplane/core/root-certificates/root-certificates-part.ts';
import { customResourcesPart } from '../controlplane/custom/custom-resources-part.ts';
import { kubernetesKindsPart } from '../controlplane/kubernetes/kubernetes-kinds-part.ts';
import type { PlaneComposition } from '../controlplane/kubernetes-plane.ts';
import type { PartDependencies, PlanePart } from '../controlplane/plane-part.ts';
import { admissionPoliciesPart } from '../controlplane/policies/admission-policies-part.ts';
import { rbacPart } from '../controlplane/rbac/rbac-part.ts';
import { webhooksPart } from '../controlplane/webhooks/webhooks-part.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { builtinObjectsDigest } from '../registry/cache/builtin-objects.ts';

export interface PlaneComposerOptions
  extends Pick<CoreDependencies, 'sealing' | 'tokens' | 'longestTokenSeconds' | 'certificateAuthority'> {
  readonly clock: Clock;
  readonly log: Log;
  /** The addresses at which admission webhooks may be called: CIDRs, or `public` (`WebhookClientOptions`). */
  readonly webhookAddresses: readonly string[];
}

export interface ComposedPlane extends PlaneComposition {
  /**
   * Returns the service account of this plane to which a bearer token belongs; `undefined` if the token is invalid.
   * Call this function only during the time that the plane is loaded.
   */
  authenticate(token: string): Promise<Identity | undefined>;
}

/**
 * Composes a Kubernetes plane from its parts: core kinds, RBAC, custom resources, admission policies and, if its set of
 * kinds is `full`, the other built-in kinds of Kubernetes.
 */
export interface PlaneComposer {
  /** Returns the digest of the built-in objects of planes with this set of kinds. */
  builtinDigest(api: ApiSet): string;
  compose(dependencies: PartDependencies, composition?: CompositionOptions): ComposedPlane;
}

export interface CompositionOptions {
  /** The set of kinds that the plane serves. Optional; defaults to `minimal`. */
  readonly api?: ApiSet;
  /** Parts of this plane in addition to the parts that every Kubernetes plane has. */
  readonly parts?: readonly PlanePart[];
}

export function createPlaneComposer(options: PlaneComposerOptions): PlaneComposer {
  const digests = Object.fromEntries(apiSets.map((api) => [api, digestOf(options, api)])) as Record<ApiSet, string>;
  return {
    builtinDigest: (api) => digests[api],
    compose(dependencies, { api = 'minimal', parts = [] } = {}) {
      const composition = composeParts(options, dependencies, api);
      return { ...composition, parts: [...composition.parts, ...parts] };
    },
  };
}

function digestOf(options: PlaneComposerOptions, api: ApiSet): string {
  const dependencies: PartDependencies = {
    ...options,
    planeId: '',
    isShared: false,
    plane() {
      throw new Error('the parts were composed only to compute a digest, without a plane');
    },
  };
  const { parts } = composeParts(options, dependencies, api);
  return builtinObjectsDigest(
    parts.flatMap(({ builtinObjects }) => (builtinObjects === undefined ? [] : [builtinObjects])),
  );
}

function composeParts(options: PlaneComposerOptions, dependencies: PartDependencies, api: ApiSet): ComposedPlane {
  const rbac = rbacPart(dependencies);
  const { sealing, tokens, longestTokenSeconds, certificateAuthority } = options;
  const fullSet =
    api === 'full'
      ? {
          kinds: kubernetesKindsPart(dependencies),
          certificates: rootCertificatesPart(dependencies, certificateAuthority ?? ''),
        }
      : undefined;
  const core = corePart({
    ...dependencies,
    sealing,
    tokens,
    longestTokenSeconds,
    ...(certificateAuthority === undefined ? {} : { certificateAuthority }),
    ...(fullSet === undefined ? {} : { rootCertificates: fullSet.certificates.hooks }),
    authorize: (subject, attributes) => rbac.authorize(subject, attributes),
    rules: (subject, namespace) => rbac.rules(subject, namespace),
  });
  const admission = {
    plane: dependencies.plane,
    authorize: (user: UserInfo, attributes: Attributes) => rbac.authorize({ user, system: false }, attributes),
  };
  const webhooks = { addresses: options.webhookAddresses };
  return {
    parts: [
      admissionPoliciesPart(admission),
      ...(api === 'full' ? [webhooksPart({ ...admission, webhooks })] : []),
      core,
      rbac,
      ...(fullSet === undefined ? [] : [fullSet.kinds, fullSet.certificates]),
      customResourcesPart(dependencies),
    ],
    authorize: (identity, attributes) => rbac.authorize(identity, attributes),
    authenticate: (token) => core.authenticate(token),
  };
}
