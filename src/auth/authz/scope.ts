import { flagAt, type JsonObject, listAt, textAt, writeJson } from '@flotilla/json';
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
  /** Spaces by project, in the same form. */
  readonly spaces: ReadonlyMap<string, NameSelection>;
  readonly clusters: NameSelection;
  readonly rules: readonly CompiledScopeRule[];
  /** The scope as JSON text for audit events. Truncated if it is long. */
  readonly text: string;
}

/** Compiled scopes, by the scope object in the cached key. The object is frozen and is replaced if the key changes. */
const compiledScopes = new WeakMap<JsonObject, CompiledScope>();

/** Compiles a scope. The object must not change afterwards, because the result is cached. */
export function compileScope(scope: JsonObject): CompiledScope {
  const found = compiledScopes.get(scope);
  if (found !== undefined) return found;
  const lists = ['projects', 'spaces', 'virtualClusters', 'clusters', 'rules'];
  const forCli = flagAt(scope, scopeCliFlag);
  const compiled: CompiledScope = {
    allowsCli: forCli,
    cliOnly: forCli && lists.every((list) => listAt(scope, list).length === 0),
    projects: selected(listAt(scope, 'projects').map((entry) => textAt(entry, 'project'))),
    virtualClusters: byProject(scope, 'virtualClusters', 'virtualCluster'),
    spaces: byProject(scope, 'spaces', 'space'),
    clusters: selected(listAt(scope, 'clusters').map((entry) => textAt(entry, 'cluster'))),
    rules: listAt(scope, 'rules').map(compileScopeRule),
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

/** Maximum length of a scope in an audit event. The event also names the key, which contains the full scope. */
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

function byProject(scope: JsonObject, list: string, member: string): Map<string, NameSelection> {
  const names = new Map<string, string[]>();
  for (const entry of listAt(scope, list)) {
    const project = textAt(entry, 'project');
    const found = names.get(project) ?? [];
    found.push(textAt(entry, member));
    names.set(project, found);
  }
  return new Map([...names].map(([project, each]) => [project, selected(each)]));
}
