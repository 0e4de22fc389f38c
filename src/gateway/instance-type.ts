import type { JsonValue } from '@flotilla/json';
import type { CredentialUse } from '../api/management/credential-use.ts';
import type { SpaceInstance } from '../api/management/v1/space-instance.ts';
import {
  type VirtualClusterInstance,
  virtualClusterInstanceKind,
} from '../api/management/v1/virtual-cluster-instance.ts';
import { type VirtualClusterRoles, virtualClusterRoles } from '../api/management/virtual-cluster-roles.ts';
import type { ResourceKind } from '../api/resource.ts';
import type { Attributes, Decision, RequestTarget } from '../auth/authz/attributes.ts';
import type { HostLocation } from '../hosts/host.ts';
import type { RequestInfo } from '../http/request/request-info.ts';
import { isRevokedUse } from './account-tokens/account-token-limits.ts';

/** An instance of a project that the gateway gives access to. */
export type ProjectInstance = VirtualClusterInstance | SpaceInstance;

/** The differences between the types of instances that matter to the gateway. */
export interface InstanceType<Instance extends ProjectInstance> {
  readonly kind: ResourceKind;
  /** The name of the type in error messages. */
  readonly noun: string;
  /** The path segment in `/<api_prefix>/project/<project>/<segment>/<name>`. */
  readonly pathSegment: string;
  /** Returns the target that the scopes of access keys refer to. */
  targetOf(project: string, name: string): RequestTarget;
  locationOf(instance: Instance): HostLocation;
  /**
   * Returns the uid that the controller recorded for the instance on its host; empty if it has none. The object at the
   * location belongs to the instance only if it has this uid.
   */
  uidOf(instance: Instance): string;
  /**
   * True if the installation has finished or failed. Before that, it is unknown which roles the instance grants. A
   * failed instance can be used, so that it can be repaired.
   */
  isInstalled(instance: Instance): boolean;
  /** True if this server neither puts the instance to sleep nor wakes it. */
  isExternal(instance: Instance): boolean;
  /**
   * Returns the roles for which callers get groups inside the instance (`roleGroup`). Absent if roles are bound to the
   * callers' own groups.
   */
  rolesOf?(instance: Instance): VirtualClusterRoles;
  /** Returns a value that changes whenever the permissions of callers inside the instance may change. */
  grantsOf(instance: Instance): JsonValue;
  /**
   * True if the instance no longer accepts this token of a service account. Absent if instances of this type accept no
   * such tokens.
   */
  isRevokedUse?(use: CredentialUse, instance: Instance): boolean;
  /**
   * Restricts a decision to the part of the host's API that belongs to the instance. Called for each action that the
   * request requires and that the management API allows. `info` describes the request itself. Absent if the whole API
   * belongs to the instance.
   */
  restrict?(decision: Decision, instance: Instance, attributes: Attributes, info: RequestInfo): Decision;
}

export const virtualClusterType: InstanceType<VirtualClusterInstance> = {
  kind: virtualClusterInstanceKind,
  noun: 'virtual cluster',
  pathSegment: 'virtualcluster',
  targetOf: (project, virtualCluster) => ({ type: 'ProjectVirtualCluster', project, virtualCluster }),
  locationOf({ spec }) {
    const { namespace = '', virtualCluster = '' } = spec?.clusterRef ?? {};
    return { namespace, name: virtualCluster };
  },
  uidOf: ({ status }) => status?.serviceUID ?? '',
  isInstalled({ spec, status = {} }) {
    const { serviceUID = '', virtualCluster, deployHash = '', phase } = status;
    if (serviceUID === '') return false;
    const hasTemplate = (spec?.templateRef?.name ?? '') !== '' || spec?.template !== undefined;
    if (hasTemplate && virtualCluster === undefined) return false;
    return deployHash !== '' || phase === 'Failed';
  },
  isExternal: ({ spec }) => spec?.external === true,
  rolesOf: (instance) => virtualClusterRoles(instance),
  grantsOf(instance) {
    const { defaultRole, rules } = virtualClusterRoles(instance);
    return [defaultRole, ...rules];
  },
  isRevokedUse,
};
