import {
  defaultHostAccessSettings,
  type HostAccessSettings,
} from '../api/management/host-access/host-access-settings.ts';
import type { HostIsolation } from '../api/management/host-isolation/host-isolation.ts';
import { defaultDeniedCIDRs } from '../lib/outgoing-addresses.ts';

/** Limits that apply if a project sets no quota. They do not apply to admins. 0 means no limit. */
export interface InstanceLimitSettings {
  /** The maximum number of instances in a project. */
  readonly perProject: number;
  /** The maximum number of instances that a user or a team owns in one project. */
  readonly perUser: number;
  /** The maximum size of all instances in a project, in bytes of JSON. */
  readonly bytesPerProject: number;
}

/** Settings of the management API. */
export interface ManagementSettings {
  readonly auth: {
    /**
     * The maximum age in seconds of a login that may change passwords, or access keys without a scope or without an
     * expiry. 0 means that no login is required for these changes.
     */
    readonly freshLoginSeconds: number;
    /** `enabled` is false if users may not log in with a password. Optional; by default, they may. */
    readonly password?: { readonly enabled: boolean };
  };
  readonly accessKeys: {
    /** The maximum lifetime of an access key, in seconds. 0 means no limit, so that keys without expiry are allowed. */
    readonly maxTTL: number;
    /**
     * The maximum lifetime of an access key without a scope, in seconds. 0 means that such a key has no other limit
     * than `maxTTL`.
     */
    readonly maxUnscopedTTL: number;
    /** True if a key of a team is disabled after its creator has left the team, was disabled or was deleted. */
    readonly teamKeysFollowMaker: boolean;
    /** The time in seconds after which a team's key is disabled when it has lost its creator. */
    readonly teamKeyGraceSeconds: number;
    /** The maximum number of access keys of a user, team or subject. Keys that the server creates do not count. */
    readonly perUser: number;
  };
  /** The limits of virtual cluster instances. */
  readonly instances: InstanceLimitSettings;
  /** The limits of space instances. */
  readonly spaces: InstanceLimitSettings;
  readonly projects: {
    /** True if every user and team may create projects. */
    readonly selfService: boolean;
    /**
     * The maximum number of Secrets in a project. 0 means no limit. Limits on configuration objects do not apply to
     * admins.
     */
    readonly maxSecrets: number;
    /** The maximum number of ConfigMaps in a project. */
    readonly maxConfigMaps: number;
    /** The maximum size of all Secrets and ConfigMaps in a project, in bytes of JSON. */
    readonly maxConfigBytes: number;
  };
  readonly charts: {
    /** The Helm charts that templates may use. All other charts are refused. */
    readonly allowed: readonly { readonly name: string; readonly repo: string }[];
  };
  readonly hosts: HostAccessSettings & {
    /** The ranges of addresses that a kubeconfig must not contain as its server. */
    readonly deniedCIDRs: readonly string[];
    /** True if the server of a kubeconfig may be an `http://` address. */
    readonly allowPlainHttp: boolean;
    /**
     * The default isolation of host namespaces. Each setting applies if neither the cluster nor the project sets it.
     */
    readonly isolation: HostIsolation;
  };
  /** The outgoing webhooks of projects. */
  readonly webhooks: {
    /** The addresses to which webhooks may send records: CIDRs, or `public` (`WebhookAddresses`). */
    readonly addresses: readonly string[];
    /** True if the URL of a webhook may be an `http://` address. */
    readonly allowPlainHttp: boolean;
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
    /**
     * The maximum time in seconds since its issue for which the gateway accepts a service account token. 0 means no
     * limit.
     */
    readonly maxServiceAccountTokenAge: number;
    /** True if the gateway rejects a service account token when its creator may no longer use the virtual cluster. */
    readonly serviceAccountTokensFollowMaker: boolean;
    /** The lifetime of a gateway token if the request does not set one, in seconds. */
    readonly defaultTokenTTL: number;
    readonly maxTokenTTL: number;
  };
  /** Settings for notifications by mail. Absent if the server sends no mails. */
  readonly mail?: {
    /**
     * The trusted mail domains. Addresses in these domains receive mails even if no identity provider has verified the
     * address.
     */
    readonly trustedDomains: readonly string[];
  };
}

export const defaultManagementSettings: ManagementSettings = {
  auth: { freshLoginSeconds: 15 * 60, password: { enabled: true } },
  accessKeys: {
    maxTTL: 0,
    maxUnscopedTTL: 0,
    teamKeysFollowMaker: true,
    teamKeyGraceSeconds: 24 * 3600,
    perUser: 100,
  },
  instances: { perProject: 1000, perUser: 200, bytesPerProject: 256 * 1024 * 1024 },
  spaces: { perProject: 1000, perUser: 200, bytesPerProject: 256 * 1024 * 1024 },
  projects: { selfService: false, maxSecrets: 1000, maxConfigMaps: 1000, maxConfigBytes: 32 * 1024 * 1024 },
  charts: { allowed: [{ name: 'vcluster', repo: 'https://charts.loft.sh' }] },
  hosts: { ...defaultHostAccessSettings, deniedCIDRs: defaultDeniedCIDRs, allowPlainHttp: false, isolation: {} },
  webhooks: { addresses: ['public'], allowPlainHttp: false },
  directTokens: { defaultTTL: 3600, maxTTL: 30 * 24 * 3600 },
  gateway: {
    serviceAccountTokens: true,
    maxServiceAccountTokenAge: 30 * 24 * 3600,
    serviceAccountTokensFollowMaker: true,
    defaultTokenTTL: 24 * 3600,
    maxTokenTTL: 365 * 24 * 3600,
  },
};

/**
 * The default maximum lifetimes of access keys. They apply only to installations that were created with a version that
 * has these defaults.
 */
export const newInstallationLifetimes = { maxTTL: 365 * 24 * 3600, maxUnscopedTTL: 90 * 24 * 3600 };

/**
 * The settings as they were read, without the defaults of the lifetimes, which depend on the age of the installation.
 */
export type ConfiguredManagementSettings = Omit<ManagementSettings, 'accessKeys'> & {
  readonly accessKeys: Omit<ManagementSettings['accessKeys'], 'maxTTL' | 'maxUnscopedTTL'> & {
    readonly maxTTL: number | undefined;
    readonly maxUnscopedTTL: number | undefined;
  };
};
