import { writeJson } from '@flotilla/json';
import type { Scope } from '../../api/management/v1/scope.ts';
import { scopeCliFlag } from '../../api/naming.ts';
import { type CompiledScopeRule, compileScopeRule } from './scope-rule.ts';

/** A set of names. If `all` is true, it contains every name. */
export interface NameSelection {
  readonly all: boolean;
  readonly names: ReadonlySet<string>;
}

/** The compiled scope of an access key or token (completions §5). A scope restricts permissions and never adds any. */
export interface CompiledScope {
  /** True if the scope sets `allowPlatformCli`, which allows the read requests that the CLI needs. */
  readonly allowsCli: boolean;
  /** True if the scope sets only `allowPlatformCli`. Read requests then return everything that the user can see. */
  readonly cliOnly: boolean;
  readonly projects: NameSelection;
  /** Virtual clusters by project. The entry `*` applies to every project. */
  readonly virtualClusters: ReadonlyMap<string, NameSelection>;
  /** Spaces by project. The entry `*` applies to every project. */
  readonly spaces: ReadonlyMap<string, NameSelection>;
  readonly clusters: NameSelection;
  readonly rules: readonly CompiledScopeRule[];
  /** The scope as JSON text for audit events. Truncated if it is long. */
  readonly text: string;
}

/** Compiled scopes, by the scope object in the cached key. The object is frozen and is replaced if the key changes. */
const compiledScopes = new WeakMap<Scope, CompiledScope>();

/** Compiles a scope. The object must not change afterwards, because the result is cached. */
export function compileScope(scope: Scope): CompiledScope {
  const found = compiledScopes.get(scope);
  if (found !== undefined) return found;
  const { projects = [], spaces = [], virtualClusters = [], clusters = [], rules = [] } = scope;
  const forCli = scope[scopeCliFlag] === true;
  const compiled: CompiledScope = {
    allowsCli: forCli,
    cliOnly: forCli && [projects, spaces, virtualClusters, clusters, rules].every((list) => list.length === 0),
    projects: selected(projects.map(({ project = '' }) => project)),
    virtualClusters: byProject(virtualClusters, ({ virtualCluster }) => virtualCluster),
    spaces: byProject(spaces, ({ space }) => space),
    clusters: selected(clusters.map(({ cluster = '' }) => cluster)),
    rules: rules.map(compileScopeRule),
    text: shortened(writeJson(scope)),
  };
  compiledScopes.set(scope, compiled);
  return compiled;
}

/** The scope of a credential whose access key no longer exists. It denies everything, even the creation of keys. */
export const denyAllScope: CompiledScope = {
  allowsCli: false,
  cliOnly: false,
  projects: selected([]),
  virtualClusters: new Map(),
  spaces: new Map(),
  clusters: selected([]),
  rules: [],
  text: '',
};

/**
 * The maximum length of a scope in an audit event, in characters. The event also names the access key, whose object
 * contains the full scope.
 */
const maxTextLength = 1024;

function shortened(text: string): string {
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text;
}

export function selectionContains({ all, names }: NameSelection, name: string): boolean {
  return name !== '' && (all || names.has(name));
}

export function isEmptySelection({ names }: NameSelection): boolean {
  return names.size === 0;
}

function selected(names: readonly string[]): NameSelection {
  const given = new Set(names.filter((name) => name !== ''));
  return { all: given.has('*'), names: given };
}

function byProject<Entry extends { readonly project?: string }>(
  entries: readonly Entry[],
  nameIn: (entry: Entry) => string | undefined,
): Map<string, NameSelection> {
  const names = new Map<string, string[]>();
  for (const entry of entries) {
    const { project = '' } = entry;
    const found = names.get(project) ?? [];
    found.push(nameIn(entry) ?? '');
    names.set(project, found);
  }
  return new Map([...names].map(([project, each]) => [project, selected(each)]));
}
