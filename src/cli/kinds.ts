import { managementGroup, managementVersion } from '../api/naming.ts';

/**
 * The names of a kind for paths and messages. The kind definitions are not loaded: a list needs none of their schemas.
 */
export interface NamedKind {
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  /** True if its objects live in the namespace of a project. */
  readonly inProject: boolean;
  /** Its name in messages. */
  readonly noun: string;
  /** The group of its commands; '' for virtual clusters, whose commands are at the top level. */
  readonly command: string;
}

export const managementApiVersion = `${managementGroup}/${managementVersion}`;

const named = (kind: string, noun: string, plural = `${kind.toLowerCase()}s`, inProject = false): NamedKind => ({
  kind,
  plural,
  singular: kind.toLowerCase(),
  inProject,
  noun,
  command: inProject ? '' : noun.replace(' ', '-'),
});

export const virtualClusters = named('VirtualClusterInstance', 'virtual cluster', undefined, true);
export const projects = named('Project', 'project');
export const clusters = named('Cluster', 'cluster');
export const templates = named('VirtualClusterTemplate', 'template');
export const users = named('User', 'user');
export const teams = named('Team', 'team');
export const ownedAccessKeys = named('OwnedAccessKey', 'access key');
export const accessKeys = named('AccessKey', 'access key');

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
