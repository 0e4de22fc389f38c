import type { KubeObject } from '../../api/meta.ts';

/**
 * What decisions look up: what is true now, without waiting, each in a time that does not grow with the number of
 * objects. Objects are frozen. `principal` is one of `principalsOf` (principals.ts).
 */
export interface AccessState {
  project(name: string): KubeObject | undefined;
  instance(namespace: string, name: string): KubeObject | undefined;
  cluster(name: string): KubeObject | undefined;
  template(name: string): KubeObject | undefined;
  user(name: string): KubeObject | undefined;
  team(name: string): KubeObject | undefined;
  /** In its core form. */
  event(namespace: string, name: string): KubeObject | undefined;
  teamsOf(user: string): readonly string[];
  /** The projects that have this user or team as a member. */
  projectsOf(principal: string): ReadonlySet<string>;
  /** Whether an instance of the namespace is this principal's, or names it as a reader in its `access`. */
  hasInstance(namespace: string, principal: string): boolean;
  /** Everybody may create projects. */
  readonly selfService: boolean;
}

/** What a list of all of somebody's rights looks through. */
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
