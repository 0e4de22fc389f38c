/** Settings of the management API. */
export interface ManagementSettings {
  readonly accessKeys: {
    /** The maximum lifetime of a key in seconds. 0 means no limit; keys without expiry are then allowed. */
    readonly maxTTL: number;
    /** The maximum number of keys of a user, team or subject. Keys that the server creates do not count. */
    readonly perUser: number;
  };
  readonly projects: {
    /** True if every user and team may create projects. */
    readonly selfService: boolean;
  };
  readonly charts: {
    /** The only charts that templates may use. */
    readonly allowed: readonly { readonly name: string; readonly repo: string }[];
  };
  readonly directTokens: {
    /** Seconds. */
    readonly defaultTTL: number;
    readonly maxTTL: number;
  };
  /** Access to the virtual clusters of projects. */
  readonly gateway: {
    /** True if service accounts of a virtual cluster may access it with their own tokens. */
    readonly serviceAccountTokens: boolean;
    /** Seconds. */
    readonly defaultTokenTTL: number;
    readonly maxTokenTTL: number;
  };
}

export const defaultSettings: ManagementSettings = {
  accessKeys: { maxTTL: 0, perUser: 100 },
  projects: { selfService: false },
  charts: { allowed: [{ name: 'vcluster', repo: 'https://charts.loft.sh' }] },
  directTokens: { defaultTTL: 3600, maxTTL: 30 * 24 * 3600 },
  gateway: { serviceAccountTokens: true, defaultTokenTTL: 24 * 3600, maxTokenTTL: 365 * 24 * 3600 },
};
