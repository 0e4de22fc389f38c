import type { MatchResources } from '../../api/admissionregistration/match-resources.ts';
import type { ResourceKind } from '../../api/resource.ts';
import type { ControlPlane } from '../control-plane.ts';

/** The kinds that rules name one by one, as far as the plane serves them. */
export type KindsOfRules = (match: MatchResources | undefined) => readonly ResourceKind[];

/** So many are looked at, as in Kubernetes: a policy about everything says nothing about types. */
const MOST = 10;

export function kindsOfRules(plane: () => ControlPlane): KindsOfRules {
  return (match) => {
    const found = new Set<ResourceKind>();
    for (const { apiGroups = [], apiVersions = [], resources = [] } of match?.resourceRules ?? []) {
      for (const { kind } of plane().resources()) {
        const isMeant = apiGroups.includes(kind.group) && apiVersions.includes(kind.version);
        if (isMeant && resources.includes(kind.plural)) found.add(kind);
      }
    }
    return [...found].slice(0, MOST);
  };
}
