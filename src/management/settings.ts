/** Settings of the management API. */
export interface ManagementSettings {
  readonly accessKeys: {
    /** The maximum lifetime of an access key, in seconds. 0 means no limit, so that keys without expiry are allowed. */
    readonly maxTTL: number;
    /** The maximum number of access keys of a user, team or subject. Keys that the server creates do not count. */
    readonly perUser: number;
  };
  /** Limits that apply if a project sets no quota. They do not apply to admins. 0 means no limit. */
  readonly instances: {
    /** The maximum number of instances in a project. */
    readonly perProject: number;
    /** The maximum number of instances that a user or a team owns in one project. */
    readonly perUser: number;
    /** The maximum size of all instances in a project, in bytes of JSON. */
    readonly bytesPerProject: number;
  };
  readonly projects: {
    /** True if every user and team may create projects. */
    readonly selfService: boolean;
    /** The maximum number of Secrets in a project. This and the next two do not apply to admins. 0 means no limit. */
    readonly maxSecrets: number;
    /** The maximum number of ConfigMaps in a project. */
    readonly maxConfigMaps: number;
    /** The maximum size of all Secrets and ConfigMaps in a project, in bytes of JSON. */
    readonly maxConfigBytes: number;
  };
  readonly charts: {
    /** The Helm charts that templates may use. No others are allowed. */
    readonly allowed: readonly { readonly name: string; readonly repo: string }[];
  };
  readonly directTokens: {
    /** The lifetime of a direct-endpoint token if the request does not set one, in seconds. */
    readonly defaultTTL: number;
    readonly maxTTL: number;
  };
  /** Settings for access to virtual clusters through the gateway. */
  readonly gateway: {
    /** True if service accounts of a virtual cluster may access it through the gateway with their own tokens. */
    readonly serviceAccountTokens: boolean;
    /** The lifetime of a gateway token if the request does not set one, in seconds. */
    readonly defaultTokenTTL: number;
    readonly maxTokenTTL: number;
  };
}

export const defaultManagementSettings: ManagementSettings = {
  accessKeys: { maxTTL: 0, perUser: 100 },
  instances: { perProject: 1000, perUser: 200, bytesPerProject: 256 * 1024 * 1024 },
  projects: { selfService: false, maxSecrets: 1000, maxConfigMaps: 1000, maxConfigBytes: 32 * 1024 * 1024 },
  charts: { allowed: [{ name: 'vcluster', repo: 'https://charts.loft.sh' }] },
  directTokens: { defaultTTL: 3600, maxTTL: 30 * 24 * 3600 },
  gateway: { serviceAccountTokens: true, defaultTokenTTL: 24 * 3600, maxTokenTTL: 365 * 24 * 3600 },
};
