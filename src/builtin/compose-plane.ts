import type { Identity } from '../auth/identity.ts';
import { type CoreDependencies, corePart } from '../controlplane/core/core-part.ts';
import { customResourcesPart } from '../controlplane/custom/custom-resources-part.ts';
import type { PlaneComposition } from '../controlplane/kubernetes-plane.ts';
import type { PartDependencies, PlanePart } from '../controlplane/plane-part.ts';
import { admissionPoliciesPart } from '../controlplane/policies/admission-policies-part.ts';
import { rbacPart } from '../controlplane/rbac/rbac-part.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { standingDigest } from '../registry/standing-kinds.ts';

export interface ComposerOptions
  extends Pick<CoreDependencies, 'sealing' | 'tokens' | 'longestTokenSeconds' | 'certificateAuthority'> {
  readonly clock: Clock;
  readonly log: Log;
}

export interface Composed extends PlaneComposition {
  /** Returns the service account that a bearer token of this plane belongs to. Valid while the plane is loaded. */
  authenticate(token: string): Promise<Identity | undefined>;
}

/** Composes Kubernetes planes from their parts. */
export interface Composer {
  /** The digest of the built-in objects that every plane has. */
  readonly standing: string;
  compose(dependencies: PartDependencies, besides?: Besides): Composed;
}

/** Additional parts of a single plane. */
export interface Besides {
  readonly parts?: readonly PlanePart[];
}

export function composer(options: ComposerOptions): Composer {
  const { parts } = composeParts(options, {
    ...options,
    planeId: '',
    plane() {
      throw new Error('there is no such plane');
    },
  });
  return {
    standing: standingDigest(parts.flatMap(({ standing }) => (standing === undefined ? [] : [standing]))),
    compose(dependencies, { parts: more = [] } = {}) {
      const composition = composeParts(options, dependencies);
      return { ...composition, parts: [...composition.parts, ...more] };
    },
  };
}

function composeParts(options: ComposerOptions, dependencies: PartDependencies): Composed {
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
