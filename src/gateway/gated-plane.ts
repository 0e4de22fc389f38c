import type { Plane } from '../http/plane.ts';

const gatedPlanes = new WeakMap<Plane, Plane>();

/**
 * The same plane for callers who must pass a gate first (`Identity.gate`); the gate can deny a request before the plane
 * authorizes it. Returns the same object for the same plane, because its handler is created once per plane object.
 */
export function gatedPlane(plane: Plane): Plane {
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
      const gateDecision = await identity.preauthorize?.(attributes);
      if (gateDecision?.allowed === false) return gateDecision;
      const decision = await plane.authorize(identity, attributes);
      return gateDecision?.scopes === undefined ? decision : { ...decision, scopes: gateDecision.scopes };
    },
  };
  gatedPlanes.set(plane, gated);
  gatedPlanes.set(gated, gated);
  return gated;
}
