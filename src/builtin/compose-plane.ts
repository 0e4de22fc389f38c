import type { Identity } from '../auth/identity.ts';
import { type CoreDependencies, corePart } from '../controlplane/core/core-part.ts';
import { customResourcesPart } from '../controlplane/custom/custom-resources-part.ts';
import type { PlaneComposition } from '../controlplane/kubernetes-plane.ts';
import type { PartDependencies, PlanePart } from '../controlplane/plane-part.ts';
import { admissionPoliciesPart } from '../controlplane/policies/admission-policies-part.ts';
import { rbacPart } from '../controlplane/rbac/rbac-part.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { builtinObjectsDigest } from '../registry/cache/builtin-objects.ts';

export interface PlaneComposerOptions
  extends Pick<CoreDependencies, 'sealing' | 'tokens' | 'longestTokenSeconds' | 'certificateAuthority'> {
  readonly clock: Clock;
  readonly log: Log;
}

export interface ComposedPlane extends PlaneComposition {
  /**
   * Returns the service account of this plane that a bearer token belongs to, `undefined` if the token is invalid.
   * Works only during the time that the plane is loaded.
   */
  authenticate(token: string): Promise<Identity | undefined>;
}

/** Composes a Kubernetes plane from its parts: core kinds, RBAC, custom resources and admission policies. */
export interface PlaneComposer {
  /** The digest of the built-in objects, that is the objects that every plane has without a stored row. */
  readonly builtinDigest: string;
  compose(dependencies: PartDependencies, additional?: AdditionalParts): ComposedPlane;
}

/** Parts that only one plane has, in addition to the parts that every Kubernetes plane has. */
export interface AdditionalParts {
  readonly parts?: readonly PlanePart[];
}

export function createPlaneComposer(options: PlaneComposerOptions): PlaneComposer {
  const { parts } = composeParts(options, {
    ...options,
    planeId: '',
    plane() {
      throw new Error('the parts were composed only to compute a digest, without a plane');
    },
  });
  return {
    builtinDigest: builtinObjectsDigest(
      parts.flatMap(({ builtinObjects }) => (builtinObjects === undefined ? [] : [builtinObjects])),
    ),
    compose(dependencies, { parts: more = [] } = {}) {
      const composition = composeParts(options, dependencies);
      return { ...composition, parts: [...composition.parts, ...more] };
    },
  };
}

function composeParts(options: PlaneComposerOptions, dependencies: PartDependencies): ComposedPlane {
  const rbac = rbacPart(dependencies);
  const { sealing, tokens, longestTokenSeconds, certificateAuthority } = options;
  const core = corePart({
    ...dependencies,
    sealing,
    tokens,
    longestTokenSeconds,
    ...(certificateAuthority === undefined ? {} : { certificateAuthority }),
    authorize: (subject, attributes) => rbac.authorize(subject, attributes),
    rules: (subject, namespace) => rbac.rules(subject, namespace),
  });
  const policies = admissionPoliciesPart({
    plane: dependencies.plane,
    authorize: (user, attributes) => rbac.authorize({ user, system: false }, attributes),
  });
  return {
    parts: [policies, core, rbac, customResourcesPart(dependencies)],
    authorize: (identity, attributes) => rbac.authorize(identity, attributes),
    authenticate: (token) => core.authenticate(token),
  };
}
