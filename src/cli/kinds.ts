import type { JsonObject } from '@flotilla/json';
import type { accessKeyKind, ownedAccessKeyKind } from '../api/management/v1/access-key.ts';
import type { clusterKind } from '../api/management/v1/cluster.ts';
import type { clusterAccessKeyKind } from '../api/management/v1/cluster-access-key.ts';
import type { directClusterEndpointTokenKind } from '../api/management/v1/direct-cluster-endpoint-token.ts';
import type { effectiveAccessReviewKind } from '../api/management/v1/effective-access-review.ts';
import type { projectKind } from '../api/management/v1/project.ts';
import type { selfKind } from '../api/management/v1/self.ts';
import type { spaceInstanceKind } from '../api/management/v1/space-instance.ts';
import type { spaceTemplateKind } from '../api/management/v1/space-template.ts';
import type { clusterJoinTokenKind } from '../api/management/v1/subresources/cluster-join-token.ts';
import type { clusterVirtualClustersKind } from '../api/management/v1/subresources/cluster-virtual-clusters.ts';
import type { projectImportSpaceKind } from '../api/management/v1/subresources/project-import-space.ts';
import type { projectImportVirtualClusterKind } from '../api/management/v1/subresources/project-import-virtual-cluster.ts';
import type { projectMembersKind } from '../api/management/v1/subresources/project-members.ts';
import type { projectTemplatesKind } from '../api/management/v1/subresources/project-templates.ts';
import type { userOffboardingKind } from '../api/management/v1/subresources/user-offboarding.ts';
import type { userPasswordResetKind } from '../api/management/v1/subresources/user-password-reset.ts';
import type { userSecondFactorRemovalKind } from '../api/management/v1/subresources/user-second-factor-removal.ts';
import type { virtualClusterInstanceCredentialsKind } from '../api/management/v1/subresources/virtual-cluster-instance-credentials.ts';
import type { virtualClusterInstanceKubeConfigKind } from '../api/management/v1/subresources/virtual-cluster-instance-kube-config.ts';
import type { teamKind } from '../api/management/v1/team.ts';
import type { usageKind } from '../api/management/v1/usage/usage.ts';
import type { userKind } from '../api/management/v1/user.ts';
import type { virtualClusterInstanceKind } from '../api/management/v1/virtual-cluster-instance.ts';
import type { virtualClusterTemplateKind } from '../api/management/v1/virtual-cluster-template.ts';
import type { AnyFields, TypedObject } from '../api/meta.ts';
import { managementGroup, managementVersion } from '../api/naming.ts';
import type { FieldsOf } from '../api/resource.ts';
import type { virtualClusterKind } from '../api/storage/virtual-cluster.ts';

/** The name of a kind, with the TypeScript type of its objects. */
export interface TypedKind<Fields extends JsonObject = AnyFields> {
  readonly kind: string;
  /** Never set at run time. It lets TypeScript infer the type of the objects. */
  readonly fields?: Fields;
}

/**
 * The names of a kind that commands use in paths and messages. They are listed here, so that commands do not load the
 * kind definitions with their schemas.
 */
export interface NamedKind<Fields extends JsonObject = AnyFields> extends TypedKind<Fields> {
  readonly plural: string;
  readonly singular: string;
  /** True if objects of this kind belong to a project and are in its namespace. */
  readonly inProject: boolean;
  /** The name of the kind in messages. */
  readonly noun: string;
  /** The first word of the commands for this kind; '' for virtual clusters, whose commands have only one word. */
  readonly command: string;
  /** The path of the API group below the API root, for example `api/v1`. Absent for the group of the management API. */
  readonly groupPath?: string;
}

type InstanceFields = FieldsOf<typeof virtualClusterInstanceKind> | FieldsOf<typeof spaceInstanceKind>;

/** An object of one of the instance kinds. */
export type Instance = TypedObject<InstanceFields>;

/** A kind whose objects users create, connect to, share, put to sleep and delete: virtual clusters and spaces. */
export interface InstanceKind<Fields extends InstanceFields = InstanceFields> extends NamedKind<Fields> {
  /** The name of the kind in options and shell completion: `flotilla token --<word>`. */
  readonly word: 'virtual-cluster' | 'space';
  /** The segment of the kind in the paths of the gateway. */
  readonly gatewaySegment: string;
  /** The kind of the subresource `kubeconfig`. */
  readonly kubeConfig: TypedKind<FieldsOf<typeof virtualClusterInstanceKubeConfigKind>>;
}

export const managementApiVersion = `${managementGroup}/${managementVersion}`;

/** Returns the path of a command for a kind: for example `space list`, or only `list` for virtual clusters. */
export function commandPath({ command }: NamedKind, verb: string): string {
  return command === '' ? verb : `${command} ${verb}`;
}

/** Returns the word by which the user names a kind in `flotilla list <kind>`, for example `space-templates`. */
export function kindWord({ noun }: NamedKind): string {
  return `${noun.replace(' ', '-')}s`;
}

function named<Fields extends JsonObject>(
  kind: string,
  noun: string,
  { inProject = false, command = noun.replace(' ', '-') } = {},
): NamedKind<Fields> {
  const singular = kind.toLowerCase();
  return { kind, plural: `${singular}s`, singular, inProject, noun, command };
}

function instanceKind<Fields extends InstanceFields>(
  kind: string,
  noun: string,
  word: InstanceKind['word'],
  command: string,
): InstanceKind<Fields> {
  return {
    ...named<Fields>(kind, noun, { inProject: true, command }),
    word,
    gatewaySegment: word.replace('-', ''),
    kubeConfig: { kind: `${kind}KubeConfig` },
  };
}

export const virtualClusters = instanceKind<FieldsOf<typeof virtualClusterInstanceKind>>(
  'VirtualClusterInstance',
  'virtual cluster',
  'virtual-cluster',
  '',
);
export const spaces = instanceKind<FieldsOf<typeof spaceInstanceKind>>('SpaceInstance', 'space', 'space', 'space');
export const projects = named<FieldsOf<typeof projectKind>>('Project', 'project');
export const clusters = named<FieldsOf<typeof clusterKind>>('Cluster', 'cluster');
export const templates = named<FieldsOf<typeof virtualClusterTemplateKind>>('VirtualClusterTemplate', 'template');
export const spaceTemplates = named<FieldsOf<typeof spaceTemplateKind>>('SpaceTemplate', 'space template');
export const users = named<FieldsOf<typeof userKind>>('User', 'user');
export const teams = named<FieldsOf<typeof teamKind>>('Team', 'team');
export const activityRecords = named('ActivityRecord', 'activity record', { inProject: true });
export const ownedAccessKeys = named<FieldsOf<typeof ownedAccessKeyKind>>('OwnedAccessKey', 'access key');
export const accessKeys = named<FieldsOf<typeof accessKeyKind>>('AccessKey', 'access key');

/* The kinds of requests and responses that are not stored. */
export const selves: TypedKind<FieldsOf<typeof selfKind>> = { kind: 'Self' };
export const projectMembers: TypedKind<FieldsOf<typeof projectMembersKind>> = { kind: 'ProjectMembers' };
export const projectTemplates: TypedKind<FieldsOf<typeof projectTemplatesKind>> = { kind: 'ProjectTemplates' };
export const projectImport: TypedKind<FieldsOf<typeof projectImportVirtualClusterKind>> = {
  kind: 'ProjectImportVirtualCluster',
};
export const projectImportSpace: TypedKind<FieldsOf<typeof projectImportSpaceKind>> = { kind: 'ProjectImportSpace' };
export const clusterVirtualClusters: TypedKind<FieldsOf<typeof clusterVirtualClustersKind>> = {
  kind: 'ClusterVirtualClusters',
};
export const clusterAccessKey: TypedKind<FieldsOf<typeof clusterAccessKeyKind>> = { kind: 'ClusterAccessKey' };
export const clusterJoinToken: TypedKind<FieldsOf<typeof clusterJoinTokenKind>> = { kind: 'ClusterJoinToken' };
export const directTokens: TypedKind<FieldsOf<typeof directClusterEndpointTokenKind>> = {
  kind: 'DirectClusterEndpointToken',
};
export const effectiveAccessReviews: TypedKind<FieldsOf<typeof effectiveAccessReviewKind>> = {
  kind: 'EffectiveAccessReview',
};
export const userOffboardings: TypedKind<FieldsOf<typeof userOffboardingKind>> = { kind: 'UserOffboarding' };
export const userPasswordResets: TypedKind<FieldsOf<typeof userPasswordResetKind>> = { kind: 'UserPasswordReset' };
export const userSecondFactorRemovals: TypedKind<FieldsOf<typeof userSecondFactorRemovalKind>> = {
  kind: 'UserSecondFactorRemoval',
};
export const instanceCredentials: TypedKind<FieldsOf<typeof virtualClusterInstanceCredentialsKind>> = {
  kind: 'VirtualClusterInstanceCredentials',
};

export const fleetUsage: NamedKind<FieldsOf<typeof usageKind>> = named('Usage', 'usage');

/** The kind of virtual clusters on a built-in cluster, which is not part of the management API. */
export const hostedVirtualClusters: TypedKind<FieldsOf<typeof virtualClusterKind>> = { kind: 'VirtualCluster' };

export const namedKinds: readonly NamedKind[] = [
  virtualClusters,
  spaces,
  projects,
  clusters,
  templates,
  spaceTemplates,
  users,
  teams,
  ownedAccessKeys,
  accessKeys,
];
