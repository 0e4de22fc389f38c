import { scopeCliFlag } from '../../api/naming.ts';
import { flagAt, listAt, textAt } from '../../lib/json-path.ts';
import type { JsonObject } from '../../lib/json-value.ts';
import { writeJson } from '../../lib/json-write.ts';
import { compileRule, type ScopeRule } from './scope-rule.ts';

/** Names, or all of them. */
export interface Selected {
  readonly all: boolean;
  readonly names: ReadonlySet<string>;
}

/** What a key or token may reach at most, ready to be asked (completions §5). It only ever narrows. */
export interface Scope {
  /** `allowPlatformCli`: the reads that a command-line tool needs. */
  readonly forCli: boolean;
  /** Nothing but that is listed: those reads show whatever the user can see. */
  readonly cliOnly: boolean;
  readonly projects: Selected;
  /** Virtual clusters by project; those under `*` are meant in every project. */
  readonly virtualClusters: ReadonlyMap<string, Selected>;
  readonly clusters: Selected;
  readonly rules: readonly ScopeRule[];
  /** As it is written in the key, for people who read audit lines; cut where it is long. */
  readonly text: string;
}

/** Read once for each version of a key: what the caches hold is frozen, and the same object until it changes. */
const known = new WeakMap<JsonObject, Scope>();

/** `scope` must never change after this; it is an object of a cache, or has been decoded for this. */
export function compileScope(scope: JsonObject): Scope {
  const found = known.get(scope);
  if (found !== undefined) return found;
  const lists = ['projects', 'spaces', 'virtualClusters', 'clusters', 'rules'];
  const forCli = flagAt(scope, scopeCliFlag);
  const compiled: Scope = {
    forCli,
    cliOnly: forCli && lists.every((list) => listAt(scope, list).length === 0),
    projects: selected(listAt(scope, 'projects').map((entry) => textAt(entry, 'project'))),
    virtualClusters: byProject(scope),
    clusters: selected(listAt(scope, 'clusters').map((entry) => textAt(entry, 'cluster'))),
    rules: listAt(scope, 'rules').map(compileRule),
    text: shortened(writeJson(scope)),
  };
  known.set(scope, compiled);
  return compiled;
}

/** For a credential that is gone: not even keys can be made with it. */
export const closedScope: Scope = {
  forCli: false,
  cliOnly: false,
  projects: selected([]),
  virtualClusters: new Map(),
  clusters: selected([]),
  rules: [],
  text: '',
};

/** An audit line must stay a line; the key that it names has the rest. */
const longestText = 1024;

function shortened(text: string): string {
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text;
}

export function selects({ all, names }: Selected, name: string): boolean {
  return name !== '' && (all || names.has(name));
}

export function isEmpty({ names }: Selected): boolean {
  return names.size === 0;
}

function selected(names: readonly string[]): Selected {
  const given = new Set(names.filter((name) => name !== ''));
  return { all: given.has('*'), names: given };
}

function byProject(scope: JsonObject): Map<string, Selected> {
  const names = new Map<string, string[]>();
  for (const entry of listAt(scope, 'virtualClusters')) {
    const project = textAt(entry, 'project');
    const found = names.get(project) ?? [];
    found.push(textAt(entry, 'virtualCluster'));
    names.set(project, found);
  }
  return new Map([...names].map(([project, each]) => [project, selected(each)]));
}
