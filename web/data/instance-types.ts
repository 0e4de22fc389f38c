import { defaultSpaceRole, grantableSpaceRoles } from '../../src/api/management/space-roles.ts';
import type { SpaceInstance } from '../../src/api/management/v1/space-instance.ts';
import type { VirtualClusterInstance } from '../../src/api/management/v1/virtual-cluster-instance.ts';
import { type VirtualClusterRoles, virtualClusterRoles } from '../../src/api/management/virtual-cluster-roles.ts';
import { type KindRef, kinds } from './kind-ref.ts';
import { spaceTemplateType, type TemplateType, virtualClusterTemplateType } from './template-types.ts';

/** An instance of a project: a virtual cluster or a space. */
export type Instance = VirtualClusterInstance | SpaceInstance;

/** The properties in which virtual clusters and spaces differ, for pages that show either type. */
export interface InstanceType {
  readonly kind: KindRef<Instance>;
  readonly template: TemplateType;
  /** The name of the type within a sentence: "virtual cluster". */
  readonly noun: 'virtual cluster' | 'space';
  /** The name of the type at the start of a sentence or label. */
  readonly title: 'Virtual cluster' | 'Space';
  readonly listPath: '/virtual-clusters' | '/spaces';
  readonly createPath: '/virtual-clusters/new' | '/spaces/new';
  readonly detailPath: '/virtual-clusters/$project/$name' | '/spaces/$project/$name';
  /** True if the console offers the explorer for this type. The explorer needs an API that serves all namespaces. */
  readonly hasExplorer: boolean;
  /** The words before the verb in commands: `flotilla space create`. */
  readonly program: 'flotilla' | 'flotilla space';
  /** A command that shows whether kubectl is connected. */
  readonly probe: { readonly about: string; readonly command: string };
  /** The condition types, in the order in which the conditions usually become True. */
  readonly conditionTypes: readonly string[];
  /** The condition that is True as long as the API responds. */
  readonly apiCondition: string;
  /** The cluster roles that the share dialog suggests. */
  readonly commonRoles: readonly string[];
  /** Describes the fields of an inline template. */
  readonly inlineHint: string;
  /** The member of an EffectiveAccessReview that names an instance of this type. */
  readonly reviewMember: 'virtualClusterInstance' | 'spaceInstance';
  /** The path segment in the gateway's paths to instances of this type. */
  readonly gatewaySegment: 'virtualcluster' | 'space';
  /** Returns the cluster roles of users inside an instance. */
  rolesOf(instance: Instance): VirtualClusterRoles;
}

export const virtualClusterType: InstanceType = {
  kind: kinds.instance,
  template: virtualClusterTemplateType,
  noun: 'virtual cluster',
  title: 'Virtual cluster',
  listPath: '/virtual-clusters',
  createPath: '/virtual-clusters/new',
  detailPath: '/virtual-clusters/$project/$name',
  hasExplorer: true,
  program: 'flotilla',
  probe: { about: 'List the namespaces:', command: 'kubectl get namespaces' },
  conditionTypes: [
    'Scheduled',
    'TemplateResolved',
    'SpaceReady',
    'VirtualClusterDeployed',
    'VirtualClusterReady',
    'Ready',
  ],
  apiCondition: 'VirtualClusterReady',
  commonRoles: ['view', 'edit', 'admin', 'cluster-admin'],
  inlineHint:
    'Set objects to apply objects in the virtual cluster, or helmRelease to configure the Helm chart on a connected cluster.',
  reviewMember: 'virtualClusterInstance',
  gatewaySegment: 'virtualcluster',
  rolesOf: (instance) => virtualClusterRoles(instance),
};

export const spaceType: InstanceType = {
  kind: kinds.space,
  template: spaceTemplateType,
  noun: 'space',
  title: 'Space',
  listPath: '/spaces',
  createPath: '/spaces/new',
  detailPath: '/spaces/$project/$name',
  hasExplorer: false,
  program: 'flotilla space',
  probe: { about: 'List the pods:', command: 'kubectl get pods' },
  conditionTypes: ['Scheduled', 'TemplateResolved', 'SpaceReady', 'Ready'],
  apiCondition: 'SpaceReady',
  commonRoles: grantableSpaceRoles,
  inlineHint:
    'Set objects to apply objects in the namespace, or resourceQuota and limitRange to limit the resources of the space.',
  reviewMember: 'spaceInstance',
  gatewaySegment: 'space',
  rolesOf({ spec, status }) {
    const access = status !== undefined && 'space' in status ? status.space?.access : undefined;
    return {
      defaultRole: access?.defaultClusterRole || defaultSpaceRole,
      rules: [...(access?.rules ?? []), ...(spec?.extraAccessRules ?? [])],
    };
  },
};
