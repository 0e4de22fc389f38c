/**
 * The sets of kinds that a virtual cluster on the built-in cluster can serve. `minimal`: the kinds that controllers and
 * custom resources need. `full`: also other built-in kinds of Kubernetes, which are stored but not acted on.
 */
export const apiSets = ['minimal', 'full'] as const;

export type ApiSet = (typeof apiSets)[number];
