import type { JsonObject } from '@flotilla/json';
import type { AccessKey } from '../../api/management/v1/access-key.ts';
import type { Cluster } from '../../api/management/v1/cluster.ts';
import type { Project } from '../../api/management/v1/project.ts';
import type { SpaceInstance } from '../../api/management/v1/space-instance.ts';
import type { SpaceTemplate } from '../../api/management/v1/space-template.ts';
import type { Team } from '../../api/management/v1/team.ts';
import type { User } from '../../api/management/v1/user.ts';
import type { VirtualClusterInstance } from '../../api/management/v1/virtual-cluster-instance.ts';
import type { VirtualClusterTemplate } from '../../api/management/v1/virtual-cluster-template.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { ResourceKind } from '../../api/resource.ts';
import type { GuardedObject } from './guarded-object.ts';

/** An object whose permissions are listed, and the hidden part of its record (data that clients never see). */
export interface ReviewedObject {
  readonly object: KubeObject;
  readonly hidden?: JsonObject | undefined;
}

/**
 * The state on which authorization decisions are based. Lookups are synchronous, return the current state, and take
 * constant time. Objects are frozen. `principal` is a user or team in the form of `userPrincipal` or `teamPrincipal`.
 */
export interface AccessState {
  project(name: string): Project | undefined;
  instance(namespace: string, name: string): VirtualClusterInstance | undefined;
  space(namespace: string, name: string): SpaceInstance | undefined;
  cluster(name: string): Cluster | undefined;
  template(name: string): VirtualClusterTemplate | undefined;
  spaceTemplate(name: string): SpaceTemplate | undefined;
  user(name: string): User | undefined;
  team(name: string): Team | undefined;
  accessKey(name: string): AccessKey | undefined;
  /** Returns an event in its core/v1 version. */
  event(namespace: string, name: string): KubeObject | undefined;
  /** Returns a configuration object of this kind with its owner (`guardedConfigObject`). */
  configObject(kind: ResourceKind, namespace: string, name: string): GuardedObject | undefined;
  teamsOf(user: string): readonly string[];
  /** Returns the names of the projects in which this user or team is a member. */
  projectsOf(principal: string): ReadonlySet<string>;
  /**
   * True if the namespace contains an instance or a space that the principal owns or may read through the `access`
   * list.
   */
  hasReadableInstance(namespace: string, principal: string): boolean;
  /** True if every user and team may create projects. */
  readonly selfService: boolean;
}

/** The additional state for listing all permissions of a caller. */
export interface ReviewState extends AccessState {
  projects(): Iterable<Project>;
  namespaces(): Iterable<KubeObject>;
  clusters(): Iterable<Cluster>;
  templates(): Iterable<VirtualClusterTemplate>;
  spaceTemplates(): Iterable<SpaceTemplate>;
  users(): Iterable<User>;
  teams(): Iterable<Team>;
  instancesOf(project: string): Iterable<VirtualClusterInstance>;
  spacesOf(project: string): Iterable<SpaceInstance>;
  eventsOf(namespace: string): Iterable<KubeObject>;
  /** Returns the configuration objects of this kind. Each result contains only the name and the hidden part. */
  configObjectsOf(kind: ResourceKind, namespace: string): Iterable<ReviewedObject>;
}
