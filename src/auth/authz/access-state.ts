import type { Cluster } from '../../api/management/v1/cluster.ts';
import type { Project } from '../../api/management/v1/project.ts';
import type { Team } from '../../api/management/v1/team.ts';
import type { User } from '../../api/management/v1/user.ts';
import type { VirtualClusterInstance } from '../../api/management/v1/virtual-cluster-instance.ts';
import type { VirtualClusterTemplate } from '../../api/management/v1/virtual-cluster-template.ts';
import type { KubeObject } from '../../api/meta.ts';

/**
 * The state that decisions read. Lookups are synchronous, return the current state, and take a time that does not
 * depend on the number of objects. Objects are frozen. `principal` is one of `principalsOf` (principals.ts).
 */
export interface AccessState {
  project(name: string): Project | undefined;
  instance(namespace: string, name: string): VirtualClusterInstance | undefined;
  cluster(name: string): Cluster | undefined;
  template(name: string): VirtualClusterTemplate | undefined;
  user(name: string): User | undefined;
  team(name: string): Team | undefined;
  /** The event in its core/v1 form. */
  event(namespace: string, name: string): KubeObject | undefined;
  teamsOf(user: string): readonly string[];
  /** The projects that have this user or team as a member. */
  projectsOf(principal: string): ReadonlySet<string>;
  /** True if the principal owns an instance in the namespace, or an instance names it as a reader in its `access`. */
  hasReadableInstance(namespace: string, principal: string): boolean;
  /** True if every caller may create projects. */
  readonly selfService: boolean;
}

/** The state that listing all permissions of a caller iterates over. */
export interface ReviewState extends AccessState {
  projects(): Iterable<Project>;
  namespaces(): Iterable<KubeObject>;
  clusters(): Iterable<Cluster>;
  templates(): Iterable<VirtualClusterTemplate>;
  users(): Iterable<User>;
  teams(): Iterable<Team>;
  instancesOf(project: string): Iterable<VirtualClusterInstance>;
  eventsOf(namespace: string): Iterable<KubeObject>;
}
