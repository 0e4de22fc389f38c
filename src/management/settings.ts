/** What an installation may set for the management API; every member has a default. */
export interface ManagementSettings {
  readonly accessKeys: {
    /** The longest lifetime of a key in seconds; 0: no limit, and keys without an end are allowed. */
    readonly maxTTL: number;
    /** How many keys a user, team or subject may have; those that the server makes itself are not counted. */
    readonly perUser: number;
  };
  readonly projects: {
    /** Everybody may create projects. */
    readonly selfService: boolean;
  };
  readonly charts: {
    /** The only charts that templates may name. */
    readonly allowed: readonly { readonly name: string; readonly repo: string }[];
  };
  readonly directTokens: {
    /** Seconds. */
    readonly defaultTTL: number;
    readonly maxTTL: number;
  };
  /** The way into the virtual clusters of projects. */
  readonly gateway: {
    /** Service accounts of a virtual cluster get into it with their own tokens. */
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
