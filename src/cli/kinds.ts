import type { JsonObject } from '@flotilla/json';
import type { accessKeyKind, ownedAccessKeyKind } from '../api/management/v1/access-key.ts';
import type { clusterKind } from '../api/management/v1/cluster.ts';
import type { clusterAccessKeyKind } from '../api/management/v1/cluster-access-key.ts';
import type { clusterVirtualClustersKind } from '../api/management/v1/cluster-virtual-clusters.ts';
import type { directClusterEndpointTokenKind } from '../api/management/v1/direct-cluster-endpoint-token.ts';
import type { projectKind } from '../api/management/v1/project.ts';
import type { projectImportVirtualClusterKind } from '../api/management/v1/project-import-virtual-cluster.ts';
import type { projectMembersKind } from '../api/management/v1/project-members.ts';
import type { selfKind } from '../api/management/v1/self.ts';
import type { teamKind } from '../api/management/v1/team.ts';
import type { userKind } from '../api/management/v1/user.ts';
import type { virtualClusterInstanceKind } from '../api/management/v1/virtual-cluster-instance.ts';
import type { virtualClusterInstanceKubeConfigKind } from '../api/management/v1/virtual-cluster-instance-kube-config.ts';
import type { virtualClusterTemplateKind } from '../api/management/v1/virtual-cluster-template.ts';
import type { AnyFields } from '../api/meta.ts';
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
}

export const managementApiVersion = `${managementGroup}/${managementVersion}`;

function named<Fields extends JsonObject>(
  kind: string,
  noun: string,
  plural = `${kind.toLowerCase()}s`,
  inProject = false,
): NamedKind<Fields> {
  return {
    kind,
    plural,
    singular: kind.toLowerCase(),
    inProject,
    noun,
    command: inProject ? '' : noun.replace(' ', '-'),
  };
}

export const virtualClusters = named<FieldsOf<typeof virtualClusterInstanceKind>>(
  'VirtualClusterInstance',
  'virtual cluster',
  undefined,
  true,
);
export const projects = named<FieldsOf<typeof projectKind>>('Project', 'project');
export const clusters = named<FieldsOf<typeof clusterKind>>('Cluster', 'cluster');
export const templates = named<FieldsOf<typeof virtualClusterTemplateKind>>('VirtualClusterTemplate', 'template');
export const users = named<FieldsOf<typeof userKind>>('User', 'user');
export const teams = named<FieldsOf<typeof teamKind>>('Team', 'team');
export const ownedAccessKeys = named<FieldsOf<typeof ownedAccessKeyKind>>('OwnedAccessKey', 'access key');
export const accessKeys = named<FieldsOf<typeof accessKeyKind>>('AccessKey', 'access key');

/* The kinds of requests and responses that are not stored. */
export const selves: TypedKind<FieldsOf<typeof selfKind>> = { kind: 'Self' };
export const projectMembers: TypedKind<FieldsOf<typeof projectMembersKind>> = { kind: 'ProjectMembers' };
export const projectImport: TypedKind<FieldsOf<typeof projectImportVirtualClusterKind>> = {
  kind: 'ProjectImportVirtualCluster',
};
export const clusterVirtualClusters: TypedKind<FieldsOf<typeof clusterVirtualClustersKind>> = {
  kind: 'ClusterVirtualClusters',
};
export const clusterAccessKey: TypedKind<FieldsOf<typeof clusterAccessKeyKind>> = { kind: 'ClusterAccessKey' };
export const directTokens: TypedKind<FieldsOf<typeof directClusterEndpointTokenKind>> = {
  kind: 'DirectClusterEndpointToken',
};
export const instanceKubeConfig: TypedKind<FieldsOf<typeof virtualClusterInstanceKubeConfigKind>> = {
  kind: 'VirtualClusterInstanceKubeConfig',
};

/** The kind of virtual clusters on a built-in cluster, which is not part of the management API. */
export const hostedVirtualClusters: TypedKind<FieldsOf<typeof virtualClusterKind>> = { kind: 'VirtualCluster' };

export const namedKinds: readonly NamedKind[] = [
  virtualClusters,
  projects,
  clusters,
  templates,
  users,
  teams,
  ownedAccessKeys,
  accessKeys,
];
