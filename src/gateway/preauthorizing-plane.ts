import type { Plane } from '../http/plane.ts';

const gatedPlanes = new WeakMap<Plane, Plane>();

/**
 * Wraps a plane so that it calls `Identity.preauthorize` before it authorizes a request. Always returns the same
 * wrapper for a plane, because handlers are cached by plane object.
 */
export function preauthorizingPlane(plane: Plane): Plane {
  const found = gatedPlanes.get(plane);
  if (found !== undefined) return found;
  const gated: Plane = {
    id: plane.id,
    get generation() {
      return plane.generation;
    },
    resources: () => plane.resources(),
    find: (group, version, plural) => plane.find(group, version, plural),
    mayRead: (identity, kind, verb) => plane.mayRead(identity, kind, verb),
    async authorize(identity, attributes) {
      const entryDecision = await identity.preauthorize?.(attributes);
      if (entryDecision?.allowed === false) return entryDecision;
      const decision = await plane.authorize(identity, attributes);
      return entryDecision?.scopes === undefined ? decision : { ...decision, scopes: entryDecision.scopes };
    },
  };
  gatedPlanes.set(plane, gated);
  gatedPlanes.set(gated, gated);
  return gated;
}
