import type { MatchResources } from '../../api/admissionregistration/match-resources.ts';
import type { ResourceKind } from '../../api/resource.ts';
import type { ControlPlane } from '../control-plane.ts';

/** Returns the served kinds that the resource rules of a policy name without wildcards. */
export type FindMatchedKinds = (match: MatchResources | undefined) => readonly ResourceKind[];

/** The maximum number of kinds against which the types of one policy are checked. Kubernetes has the same limit. */
const MAX_KINDS = 10;

export function createMatchedKindsFinder(plane: () => ControlPlane): FindMatchedKinds {
  return (match) => {
    const found = new Set<ResourceKind>();
    for (const { apiGroups = [], apiVersions = [], resources = [] } of match?.resourceRules ?? []) {
      for (const { kind } of plane().resources()) {
        const isMatch = apiGroups.includes(kind.group) && apiVersions.includes(kind.version);
        if (isMatch && resources.includes(kind.plural)) found.add(kind);
      }
    }
    return [...found].slice(0, MAX_KINDS);
  };
}
