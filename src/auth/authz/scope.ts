import type { JsonObject } from '@flotilla/json';
import { flagAt, listAt, textAt, writeJson } from '@flotilla/json';
import { scopeCliFlag } from '../../api/naming.ts';
import { compileRule, type ScopeRule } from './scope-rule.ts';

/** A selection of names, or all names. */
export interface NameSelection {
  readonly all: boolean;
  readonly names: ReadonlySet<string>;
}

/** The compiled scope of a key or token: an upper bound of what it can access (completions §5). It only restricts. */
export interface Scope {
  /** True if the scope sets `allowPlatformCli`, which allows the reads that a command-line tool needs. */
  readonly allowsCli: boolean;
  /** True if the scope contains only `allowPlatformCli`. The reads then show everything that the user can see. */
  readonly cliOnly: boolean;
  readonly projects: NameSelection;
  /** Virtual clusters by project. Those under `*` apply to every project. */
  readonly virtualClusters: ReadonlyMap<string, NameSelection>;
  readonly clusters: NameSelection;
  readonly rules: readonly ScopeRule[];
  /** The scope as written in the key, for audit entries. Truncated if long. */
  readonly text: string;
}

/** Compiled once per version of a key: cached objects are frozen, and identical until they change. */
const compiledScopes = new WeakMap<JsonObject, Scope>();

/** `scope` must not change afterwards: pass a cached object or one decoded for this call. */
export function compileScope(scope: JsonObject): Scope {
  const found = compiledScopes.get(scope);
  if (found !== undefined) return found;
  const lists = ['projects', 'spaces', 'virtualClusters', 'clusters', 'rules'];
  const forCli = flagAt(scope, scopeCliFlag);
  const compiled: Scope = {
    allowsCli: forCli,
    cliOnly: forCli && lists.every((list) => listAt(scope, list).length === 0),
    projects: selected(listAt(scope, 'projects').map((entry) => textAt(entry, 'project'))),
    virtualClusters: byProject(scope),
    clusters: selected(listAt(scope, 'clusters').map((entry) => textAt(entry, 'cluster'))),
    rules: listAt(scope, 'rules').map(compileRule),
    text: shortened(writeJson(scope)),
  };
  compiledScopes.set(scope, compiled);
  return compiled;
}

/** The scope of a credential that no longer exists. It denies everything, even the creation of keys. */
export const denyAllScope: Scope = {
  allowsCli: false,
  cliOnly: false,
  projects: selected([]),
  virtualClusters: new Map(),
  clusters: selected([]),
  rules: [],
  text: '',
};

/** Limits the length of an audit entry; the key that it names contains the full scope. */
const maxTextLength = 1024;

function shortened(text: string): string {
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text;
}

export function selects({ all, names }: NameSelection, name: string): boolean {
  return name !== '' && (all || names.has(name));
}

export function isEmptySelection({ names }: NameSelection): boolean {
  return names.size === 0;
}

function selected(names: readonly string[]): NameSelection {
  const given = new Set(names.filter((name) => name !== ''));
  return { all: given.has('*'), names: given };
}

function byProject(scope: JsonObject): Map<string, NameSelection> {
  const names = new Map<string, string[]>();
  for (const entry of listAt(scope, 'virtualClusters')) {
    const project = textAt(entry, 'project');
    const found = names.get(project) ?? [];
    found.push(textAt(entry, 'virtualCluster'));
    names.set(project, found);
  }
  return new Map([...names].map(([project, each]) => [project, selected(each)]));
}
