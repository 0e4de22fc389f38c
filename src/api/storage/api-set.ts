/**
 * The sets of kinds that a virtual cluster on the built-in cluster can serve. `minimal`: the kinds that controllers and
 * custom resources need. `full`: also other built-in kinds of Kubernetes. The server stores their objects, but does not
 * act on them.
 */
export const apiSets = ['minimal', 'full'] as const;

export type ApiSet = (typeof apiSets)[number];
