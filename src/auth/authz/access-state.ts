import type { KubeObject } from '../../api/meta.ts';

/**
 * The state that decisions read. Lookups are synchronous, return the current state, and take a time that does not
 * depend on the number of objects. Objects are frozen. `principal` is one of `principalsOf` (principals.ts).
 */
export interface AccessState {
  project(name: string): KubeObject | undefined;
  instance(namespace: string, name: string): KubeObject | undefined;
  cluster(name: string): KubeObject | undefined;
  template(name: string): KubeObject | undefined;
  user(name: string): KubeObject | undefined;
  team(name: string): KubeObject | undefined;
  /** The event in its core/v1 form. */
  event(namespace: string, name: string): KubeObject | undefined;
  teamsOf(user: string): readonly string[];
  /** The projects that have this user or team as a member. */
  projectsOf(principal: string): ReadonlySet<string>;
  /** True if the principal owns an instance in the namespace, or an instance names it as a reader in its `access`. */
  hasInstance(namespace: string, principal: string): boolean;
  /** True if every caller may create projects. */
  readonly selfService: boolean;
}

/** The state that listing all permissions of a caller iterates over. */
export interface ReviewState extends AccessState {
  projects(): Iterable<KubeObject>;
  namespaces(): Iterable<KubeObject>;
  clusters(): Iterable<KubeObject>;
  templates(): Iterable<KubeObject>;
  users(): Iterable<KubeObject>;
  teams(): Iterable<KubeObject>;
  instancesOf(project: string): Iterable<KubeObject>;
  eventsOf(namespace: string): Iterable<KubeObject>;
}
