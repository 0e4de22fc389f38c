/** The fields that identify the access key of a workload. */
interface KeyOrigin {
  readonly spec?: { readonly type?: string; readonly identity?: { readonly connector?: string } };
}

/**
 * True if the server issued the key to a workload in exchange for a token of a trusted issuer. Such keys have the type
 * `Other`, because nobody has logged in, and only the server can set the identity in them.
 */
export function isWorkloadKey({ spec }: KeyOrigin): boolean {
  return spec?.type === 'Other' && (spec.identity?.connector ?? '') !== '';
}
