import type { Scope } from '../../../src/api/management/v1/scope.ts';
import { scopeCliFlag } from '../../../src/api/naming.ts';
import { counted, listed } from '../../data/in-words.ts';
import { describeRule } from './describe-rule.ts';

/** What a key can do at most, for people. */
export interface ScopeDescription {
  /** Whether it can do anything at all. */
  readonly isEmpty: boolean;
  readonly summary: string;
  readonly can: readonly string[];
  /** What somebody might expect of it in vain. */
  readonly cannot: readonly string[];
}

/** The names that a scope has, without what is empty. */
interface Reach {
  readonly forCli: boolean;
  readonly projects: readonly string[];
  readonly virtualClusters: readonly { readonly project: string; readonly name: string }[];
  readonly clusters: readonly string[];
  readonly spaces: number;
  readonly rules: NonNullable<Scope['rules']>;
}

function reachOf(scope: Scope): Reach {
  const names = (list: readonly (string | undefined)[]) =>
    [...new Set(list.filter((one) => one !== undefined && one !== ''))] as string[];
  return {
    forCli: scope[scopeCliFlag] === true,
    projects: names((scope.projects ?? []).map(({ project }) => project)),
    virtualClusters: (scope.virtualClusters ?? []).flatMap(({ project = '', virtualCluster = '' }) =>
      project === '' || virtualCluster === '' ? [] : [{ project, name: virtualCluster }],
    ),
    clusters: names((scope.clusters ?? []).map(({ cluster }) => cluster)),
    spaces: scope.spaces?.length ?? 0,
    rules: scope.rules ?? [],
  };
}

/** `whose`: whom the key is for, as in a sentence: "you", "the team ops". */
export function describeScope(scope: Scope | null | undefined, whose: string): ScopeDescription {
  if (scope === undefined || scope === null) {
    return {
      isEmpty: false,
      summary: `It can do everything that ${whose} may do.`,
      can: [
        `Whatever rights ${whose} ${whose === 'you' ? 'have' : 'has'} at the time, everywhere: what comes later and what is taken away holds for the key too.`,
      ],
      cannot: [],
    };
  }
  const reach = reachOf(scope);
  const can = canLines(reach, whose);
  if (can.length === 0) {
    return {
      isEmpty: true,
      summary: 'It can do nothing yet: choose what it should reach.',
      can: [],
      cannot: spaceLines(reach),
    };
  }
  return {
    isEmpty: false,
    summary: `It can do what stands here at most, and of that only what ${whose} may do at the time.`,
    can: [...can, 'Make access keys and tokens that are no wider than itself.'],
    cannot: [...cannotLines(reach), ...spaceLines(reach)],
  };
}

function canLines({ forCli, projects, virtualClusters, clusters, rules }: Reach, whose: string): string[] {
  const lines: string[] = [];
  const isAllProjects = projects.includes('*');
  const inProjects = 'see, make, change and delete virtual clusters, import them, and work inside them';
  if (isAllProjects) lines.push(`In every project, also in later ones: ${inProjects}.`);
  else if (projects.length > 0) {
    lines.push(`In ${projects.length === 1 ? 'the project' : 'the projects'} ${listed(projects)}: ${inProjects}.`);
  }
  const others = virtualClusters.filter(({ project }) => !isAllProjects && !projects.includes(project));
  lines.push(
    ...others.map((one) => `${virtualClusterText(one)}: see it, get a kubeconfig for it, and work inside it.`),
  );
  if (clusters.includes('*')) lines.push('Every connected cluster itself: see it and use its own Kubernetes API.');
  else if (clusters.length > 0) {
    lines.push(
      `The connected ${clusters.length === 1 ? 'cluster' : 'clusters'} ${listed(clusters)}: see it and use its own Kubernetes API.`,
    );
  }
  lines.push(...rules.map(describeRule));
  if (forCli) {
    lines.push(
      lines.length === 0
        ? `Look, and no more, at all projects, clusters and virtual clusters that ${whose} can see, as the command-line tool does.`
        : 'Find its way with the command-line tool and kubectl: say who it is, and list what stands above.',
    );
  }
  return lines;
}

function virtualClusterText({ project, name }: { readonly project: string; readonly name: string }): string {
  const where = project === '*' ? 'every project' : `the project ${project}`;
  return name === '*' ? `Each virtual cluster of ${where}` : `The virtual cluster ${name} of ${where}`;
}

function cannotLines({ forCli, projects, virtualClusters, clusters, rules }: Reach): string[] {
  // What a rule opens beside the rest is for the rule to say.
  if (rules.length > 0) return ['See, change or delete access keys, or set passwords.'];
  const lines: string[] = [];
  if (projects.length > 0) lines.push('Change projects themselves: their members, quotas or what is allowed in them.');
  else if (virtualClusters.length > 0) lines.push('Make, change, put to sleep or delete virtual clusters.');
  else lines.push('Make, change or use virtual clusters.');
  if (clusters.length === 0) lines.push('Use connected clusters themselves.');
  lines.push('See users and teams; see, change or delete access keys, or set passwords.');
  if (!forCli) {
    lines.push(
      'Be used with the command-line tool, or with kubectl for the management API: these have to look around first.',
    );
  }
  return lines;
}

function spaceLines({ spaces }: Reach): string[] {
  return spaces === 0 ? [] : [`Use the ${counted(spaces, 'space')} that it names: this server has none.`];
}

/** The same in a cell of a table. */
export function scopeInShort(scope: Scope | null | undefined): string {
  if (scope === undefined || scope === null) return 'everything';
  const { forCli, projects, virtualClusters, clusters, rules } = reachOf(scope);
  const part = (names: readonly string[], one: string) =>
    names.length === 0
      ? []
      : [names.includes('*') ? `all ${one}s` : names.length === 1 ? `${one} ${names[0]}` : counted(names.length, one)];
  const each = virtualClusters.map(({ project, name }) =>
    project === '*' && name === '*' ? '*' : `${project}/${name}`,
  );
  const parts = [
    ...part(projects, 'project'),
    ...part(each, 'virtual cluster'),
    ...part(clusters, 'cluster'),
    ...(rules.length === 0 ? [] : [counted(rules.length, 'rule')]),
    ...(forCli ? ['command line'] : []),
  ];
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}
