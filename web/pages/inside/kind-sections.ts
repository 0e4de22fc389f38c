import type { ServedKind } from '../../data/discovery.ts';

/** A section of the navigation: a title and the related kinds. */
export interface KindSection {
  readonly title: string;
  readonly kinds: readonly ServedKind[];
}

const titles = ['Workloads', 'Configuration', 'Network', 'Storage', 'Access', 'Cluster'] as const;
type Title = (typeof titles)[number];

const byGroup: Readonly<Record<string, Title>> = {
  apps: 'Workloads',
  batch: 'Workloads',
  autoscaling: 'Workloads',
  policy: 'Workloads',
  'networking.k8s.io': 'Network',
  'discovery.k8s.io': 'Network',
  'storage.k8s.io': 'Storage',
  'rbac.authorization.k8s.io': 'Access',
  'certificates.k8s.io': 'Access',
};

const byCorePlural: Readonly<Record<string, Title>> = {
  pods: 'Workloads',
  podtemplates: 'Workloads',
  replicationcontrollers: 'Workloads',
  configmaps: 'Configuration',
  secrets: 'Configuration',
  resourcequotas: 'Configuration',
  limitranges: 'Configuration',
  services: 'Network',
  endpoints: 'Network',
  persistentvolumes: 'Storage',
  persistentvolumeclaims: 'Storage',
  serviceaccounts: 'Access',
};

/** True for an API group of Kubernetes itself. The name of such a group has no domain, or the domain `k8s.io`. */
function isBuiltIn(group: string): boolean {
  return !group.includes('.') || /(^|\.)k8s\.io$/.test(group);
}

function titleOf({ group, plural }: ServedKind): string {
  if (group === '') return byCorePlural[plural] ?? 'Cluster';
  return byGroup[group] ?? (isBuiltIn(group) ? 'Cluster' : group);
}

/** Groups the kinds that can be listed and watched by purpose. Custom kinds come last, grouped by their API group. */
export function kindSections(served: readonly ServedKind[]): readonly KindSection[] {
  const sections = new Map<string, ServedKind[]>(titles.map((title) => [title, []]));
  const custom = new Map<string, ServedKind[]>();
  for (const kind of served) {
    if (!kind.verbs.includes('list') || !kind.verbs.includes('watch')) continue;
    // The API group `events.k8s.io` contains the same events as the core group.
    if (kind.group === 'events.k8s.io') continue;
    const title = titleOf(kind);
    const into = sections.get(title) ?? custom.get(title);
    if (into === undefined) custom.set(title, [kind]);
    else into.push(kind);
  }
  const groups = [...custom].sort(([a], [b]) => (a < b ? -1 : 1));
  return [...sections, ...groups]
    .filter(([, kinds]) => kinds.length > 0)
    .map(([title, kinds]) => ({ title, kinds: kinds.sort((a, b) => (a.kind < b.kind ? -1 : 1)) }));
}

/** Returns the kind that the explorer shows if the URL names none. */
export function firstKind(sections: readonly KindSection[]): ServedKind | undefined {
  const all = sections.flatMap(({ kinds }) => kinds);
  return all.find(({ group, plural }) => group === '' && plural === 'namespaces') ?? all[0];
}
