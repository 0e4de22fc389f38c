import type { Scope } from '../../../src/api/management/v1/scope.ts';
import { scopeCliFlag } from '../../../src/api/naming.ts';
import { joinNames, pluralize } from '../../data/format-text.ts';
import { describeRule } from './describe-rule.ts';

/** A description of the permissions of an access key, as texts for the user. */
export interface ScopeDescription {
  /** True if the key permits nothing. */
  readonly isEmpty: boolean;
  readonly summary: string;
  readonly can: readonly string[];
  /** Actions that a user might expect but that the scope of the key does not permit. */
  readonly cannot: readonly string[];
}

/** An instance in a scope. The name `*` selects all instances. */
interface InstanceEntry {
  readonly project: string;
  readonly name: string;
}

/** A scope in normalized form: every list is present and contains no empty names. */
interface ScopeContent {
  readonly forCli: boolean;
  readonly projects: readonly string[];
  readonly virtualClusters: readonly InstanceEntry[];
  readonly clusters: readonly string[];
  readonly spaces: readonly InstanceEntry[];
  readonly rules: NonNullable<Scope['rules']>;
}

function contentOf(scope: Scope): ScopeContent {
  const names = (list: readonly (string | undefined)[]) =>
    [...new Set(list.filter((one) => one !== undefined && one !== ''))] as string[];
  return {
    forCli: scope[scopeCliFlag] === true,
    projects: names((scope.projects ?? []).map(({ project }) => project)),
    virtualClusters: (scope.virtualClusters ?? []).flatMap(({ project, virtualCluster }) =>
      instanceEntry(project, virtualCluster),
    ),
    clusters: names((scope.clusters ?? []).map(({ cluster }) => cluster)),
    spaces: (scope.spaces ?? []).flatMap(({ project, space }) => instanceEntry(project, space)),
    rules: scope.rules ?? [],
  };
}

function instanceEntry(project = '', name = ''): InstanceEntry[] {
  return project === '' || name === '' ? [] : [{ project, name }];
}

/** The description of full access, for a key without a scope. */
export const fullAccessText = 'All permissions of the owner, including later changes.';

/** Describes a scope. */
export function describeScope(scope: Scope | null | undefined): ScopeDescription {
  if (scope === undefined || scope === null) {
    return { isEmpty: false, summary: 'Full access', can: [fullAccessText], cannot: [] };
  }
  const content = contentOf(scope);
  const can = canLines(content);
  if (can.length === 0) {
    return { isEmpty: true, summary: 'No access yet. Select what the key may access.', can: [], cannot: [] };
  }
  return {
    isEmpty: false,
    summary: 'Limited access. The key can never do more than its owner may do at the time of the request.',
    can: [...can, 'Create access keys and tokens with the same scope or a narrower one.'],
    cannot: cannotLines(content),
  };
}

function canLines({ forCli, projects, virtualClusters, spaces, clusters, rules }: ScopeContent): string[] {
  const lines: string[] = [];
  const isAllProjects = projects.includes('*');
  const inProjects = 'view, create, change, delete, import and use virtual clusters and spaces';
  if (isAllProjects) lines.push(`In all projects, including future ones: ${inProjects}.`);
  else if (projects.length > 0) {
    lines.push(`In ${projects.length === 1 ? 'the project' : 'the projects'} ${joinNames(projects)}: ${inProjects}.`);
  }
  const isOther = ({ project }: InstanceEntry) => !isAllProjects && !projects.includes(project);
  lines.push(
    ...virtualClusters.filter(isOther).map((one) => instanceText('virtual cluster', one)),
    ...spaces.filter(isOther).map((one) => instanceText('space', one)),
  );
  if (clusters.includes('*')) lines.push('All connected clusters: view them and use their Kubernetes APIs.');
  else if (clusters.length > 0) {
    lines.push(
      clusters.length === 1
        ? `Connected cluster ${clusters[0]}: view it and use its Kubernetes API.`
        : `Connected clusters ${joinNames(clusters)}: view them and use their Kubernetes APIs.`,
    );
  }
  lines.push(...rules.map(describeRule));
  if (forCli) {
    lines.push(
      lines.length === 0
        ? 'Read-only access to all projects, clusters, virtual clusters and spaces that the owner can see, for the command-line tool.'
        : 'With the command-line tool or kubectl: show the owner of the key, and list the objects above.',
    );
  }
  return lines;
}

function instanceText(noun: string, { project, name }: InstanceEntry): string {
  const where = project === '*' ? 'all projects' : `project ${project}`;
  return name === '*'
    ? `All ${noun}s in ${where}: view them, connect to them and use them.`
    : `${capitalized(noun)} ${name} in ${where}: view it, connect to it and use it.`;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function cannotLines({ forCli, projects, virtualClusters, spaces, clusters, rules }: ScopeContent): string[] {
  // A rule may allow any of the actions that the code below lists. With rules, only the actions that no rule can allow
  // are therefore listed.
  if (rules.length > 0) return ['View, change or delete existing access keys, or set passwords.'];
  const lines: string[] = [];
  if (projects.length > 0) lines.push('Change the members, quotas, allowed clusters or allowed templates of projects.');
  else {
    const change = 'Create, change, put to sleep or delete';
    if (virtualClusters.length + spaces.length === 0) lines.push('Create, change or use virtual clusters and spaces.');
    else lines.push(`${change} virtual clusters and spaces.`);
    if (virtualClusters.length > 0 && spaces.length === 0) lines.push('Use spaces.');
    if (virtualClusters.length === 0 && spaces.length > 0) lines.push('Use virtual clusters.');
  }
  if (clusters.length === 0) lines.push('Use connected clusters directly.');
  lines.push('View users and teams.', 'View, change or delete existing access keys, or set passwords.');
  if (!forCli) {
    lines.push(
      'Use kubectl with the management API, or the commands of the command-line tool that ask for the identity of the key, such as flotilla whoami.',
    );
  }
  return lines;
}

/** Summarizes a scope in a few words, for a table cell. */
export function scopeSummary(scope: Scope | null | undefined): string {
  if (scope === undefined || scope === null) return 'Full access';
  const { forCli, projects, virtualClusters, spaces, clusters, rules } = contentOf(scope);
  const part = (names: readonly string[], one: string) =>
    names.length === 0
      ? []
      : [
          names.includes('*')
            ? `all ${one}s`
            : names.length === 1
              ? `${one} ${names[0]}`
              : pluralize(names.length, one),
        ];
  const pathsOf = (entries: readonly InstanceEntry[]) =>
    entries.map(({ project, name }) => (project === '*' && name === '*' ? '*' : `${project}/${name}`));
  const parts = [
    ...part(projects, 'project'),
    ...part(pathsOf(virtualClusters), 'virtual cluster'),
    ...part(pathsOf(spaces), 'space'),
    ...part(clusters, 'cluster'),
    ...(rules.length === 0 ? [] : [pluralize(rules.length, 'rule')]),
    ...(forCli ? ['command line'] : []),
  ];
  return capitalized(parts.length === 0 ? 'nothing' : parts.join(', '));
}
