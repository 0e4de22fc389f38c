/** The use of service account credentials at the gateway: of one Secret, or of all tokens of one account and creator. */
export interface CredentialUse {
  /** The service account, inside the virtual cluster. */
  readonly namespace: string;
  readonly serviceAccount: string;
  /** The name of the Secret that holds the token. Absent for tokens that were requested without a Secret. */
  readonly secret?: string;
  /** The user or team that created the tokens. Absent if it is unknown. */
  readonly maker?: string;
  /** The time of the last use, in milliseconds since the epoch. */
  readonly lastUsed: number;
  /**
   * The time at which the newest of the used tokens was issued, in milliseconds since the epoch. Absent if it is
   * unknown.
   */
  readonly issued?: number;
  /**
   * The latest expiry of the used tokens, in milliseconds since the epoch. Absent if one of the tokens does not expire.
   */
  readonly expires?: number;
}

/** Merges lists of uses. Uses of the same credential become one. */
export function mergeUses(...lists: readonly (readonly CredentialUse[])[]): CredentialUse[] {
  const merged = new Map<string, CredentialUse>();
  for (const use of lists.flat()) {
    const key = credentialKey(use);
    const known = merged.get(key);
    merged.set(key, known === undefined ? use : mergedUse(known, use));
  }
  return [...merged.values()];
}

/** Returns a text that identifies the credential. */
export function credentialKey({ namespace, serviceAccount, secret = '', maker = '' }: CredentialUse): string {
  return [namespace, serviceAccount, secret, maker].join('\0');
}

/** Returns the combination of two uses of the same credential. */
export function mergedUse(one: CredentialUse, other: CredentialUse): CredentialUse {
  const { expires: _expires, ...rest } = one.lastUsed >= other.lastUsed ? one : other;
  const issued = Math.max(one.issued ?? 0, other.issued ?? 0);
  return {
    ...rest,
    ...(issued === 0 ? {} : { issued }),
    ...(one.expires === undefined || other.expires === undefined
      ? {}
      : { expires: Math.max(one.expires, other.expires) }),
  };
}
