import { namespaceKind } from '../api/core/namespace.ts';
import { accessKeyKind } from '../api/management/v1/access-key.ts';
import { clusterKind } from '../api/management/v1/cluster.ts';
import { projectKind } from '../api/management/v1/project.ts';
import { teamKind } from '../api/management/v1/team.ts';
import { userKind } from '../api/management/v1/user.ts';
import { virtualClusterInstanceKind } from '../api/management/v1/virtual-cluster-instance.ts';
import { virtualClusterTemplateKind } from '../api/management/v1/virtual-cluster-template.ts';
import type { KubeObject } from '../api/meta.ts';
import { projectNamespace } from '../api/naming.ts';
import type { ResourceKind } from '../api/resource.ts';
import { textsAt } from '../lib/json-path.ts';
import type { JsonObject } from '../lib/json-value.ts';
import type { KindStore } from '../registry/kind-store.ts';
import { resourceKey } from '../registry/rows.ts';

/** The stored kinds by resource key (`projects.management…`). */
export type KindStores = ReadonlyMap<string, KindStore>;

/** What the rules of one kind may know of the others: what is true now, without waiting. Objects are frozen. */
export interface ManagementState {
  project(name: string): KubeObject | undefined;
  cluster(name: string): KubeObject | undefined;
  template(name: string): KubeObject | undefined;
  user(name: string): KubeObject | undefined;
  team(name: string): KubeObject | undefined;
  accessKey(name: string): KubeObject | undefined;
  accessKeyHidden(name: string): JsonObject | undefined;
  namespace(name: string): KubeObject | undefined;
  clusters(): Iterable<KubeObject>;
  templates(): Iterable<KubeObject>;
  accessKeys(): Iterable<KubeObject>;
  instances(): Iterable<KubeObject>;
  instancesOf(project: string): Iterable<KubeObject>;
  teamsOf(user: string): readonly string[];
}

/** The stores need the kinds and the kinds' rules need the stores: the assembly attaches them once they are open. */
export interface AttachableState extends ManagementState {
  attach(stores: KindStores): void;
}

export function createManagementState(): AttachableState {
  let attached: KindStores | undefined;
  /** Asked for by every authentication, so it is kept until a team changes. */
  let teamsByUser: Map<string, string[]> | undefined;
  const storeOf = (kind: ResourceKind): KindStore => {
    const store = attached?.get(resourceKey(kind));
    if (store === undefined) throw new Error(`no store is attached for ${kind.plural}`);
    return store;
  };
  const one = (kind: ResourceKind) => (name: string) => storeOf(kind).peek('', name)?.object;
  function* all(kind: ResourceKind, namespace?: string): Iterable<KubeObject> {
    for (const served of storeOf(kind).peekAll(namespace)) yield served.object;
  }
  return {
    attach(stores) {
      attached = stores;
      teamsByUser = undefined;
      storeOf(teamKind).listen(() => {
        teamsByUser = undefined;
      });
    },
    project: one(projectKind),
    cluster: one(clusterKind),
    template: one(virtualClusterTemplateKind),
    user: one(userKind),
    team: one(teamKind),
    accessKey: one(accessKeyKind),
    accessKeyHidden: (name) => storeOf(accessKeyKind).peekHidden('', name),
    namespace: one(namespaceKind),
    clusters: () => all(clusterKind),
    templates: () => all(virtualClusterTemplateKind),
    accessKeys: () => all(accessKeyKind),
    instances: () => all(virtualClusterInstanceKind),
    instancesOf: (project) => all(virtualClusterInstanceKind, projectNamespace(project)),
    teamsOf(user) {
      teamsByUser ??= membersOf(all(teamKind));
      return teamsByUser.get(user) ?? [];
    },
  };
}

function membersOf(teams: Iterable<KubeObject>): Map<string, string[]> {
  const byUser = new Map<string, string[]>();
  for (const team of teams) {
    const name = team.metadata.name ?? '';
    for (const user of new Set(textsAt(team, 'spec', 'users'))) byUser.set(user, [...(byUser.get(user) ?? []), name]);
  }
  for (const names of byUser.values()) names.sort();
  return byUser;
}
