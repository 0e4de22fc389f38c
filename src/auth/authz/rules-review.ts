import { eventKind } from '../../api/core/event.ts';
import { namespaceKind } from '../../api/core/namespace.ts';
import { clusterKind } from '../../api/management/v1/cluster.ts';
import { projectKind } from '../../api/management/v1/project.ts';
import { teamKind } from '../../api/management/v1/team.ts';
import { userKind } from '../../api/management/v1/user.ts';
import { virtualClusterInstanceKind } from '../../api/management/v1/virtual-cluster-instance.ts';
import { virtualClusterTemplateKind } from '../../api/management/v1/virtual-cluster-template.ts';
import type { KubeObject } from '../../api/meta.ts';
import { projectOfNamespace } from '../../api/naming.ts';
import type { ResourceKind } from '../../api/resource.ts';
import { compareBytes } from '../../lib/json-order.ts';
import { listAt } from '../../lib/json-path.ts';
import type { ReviewState } from './access-state.ts';
import { decide } from './decide.ts';
import { type GuardedKind, guardedKinds } from './guarded-kinds.ts';
import { readerOf } from './reader.ts';
import { anyField, guardedMetadata, openPaths, openPathVerbs } from './rights-table.ts';
import { isAdmin, type Subject } from './subject.ts';

/** Rules as SelfSubjectRulesReview shows them. */
export interface Rules {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
  /** There are rights that are not told; `evaluationError` says which. */
  readonly incomplete: boolean;
  readonly evaluationError?: string;
}

export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
}

export interface NonResourceRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** Objects of a kind that are looked at, and those of them that are asked about: some ten milliseconds' worth. */
const mostObjects = 20_000;
const mostNames = 500;

const plainVerbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];

/**
 * What a caller may do in a namespace and outside of all: found by asking the decision function for each right that
 * there is, so it cannot say anything else than that does.
 */
export function rulesFor(subject: Subject, namespace: string, state: ReviewState): Rules {
  if (subject.scopes.length === 0 && isAdmin(subject.user)) {
    return {
      resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      incomplete: false,
    };
  }
  const cut: string[] = [];
  const resourceRules = guardedKinds().flatMap((kind) => rulesOfKind(kind, subject, namespace, state, cut));
  const nonResourceURLs = pathsOf(subject).filter(
    (path) => decide(subject, { resourceRequest: false, verb: 'get', path }, state).allowed,
  );
  return {
    resourceRules,
    nonResourceRules: nonResourceURLs.length === 0 ? [] : [{ verbs: [...openPathVerbs], nonResourceURLs }],
    incomplete: cut.length > 0,
    ...(cut.length === 0
      ? {}
      : { evaluationError: `there are too many objects to name all that may be used: ${cut.join(', ')}` }),
  };
}

function rulesOfKind(
  guarded: GuardedKind,
  subject: Subject,
  namespace: string,
  state: ReviewState,
  cut: string[],
): ResourceRule[] {
  const { group, version, plural, namespaced } = guarded.kind;
  const allowed = (verb: string, subresource: string, name: string) => {
    const place = { namespace: namespaced ? namespace : '', name };
    const asked = { resourceRequest: true, verb, group, version, resource: plural, subresource, ...place } as const;
    return decide(subject, asked, state).allowed;
  };
  const names = guarded.find === undefined ? [] : namesOf(guarded, subject, namespace, state, cut);
  const ofAdmin = isAdmin(subject.user);
  /** Verbs by what they are on and for which names they hold. */
  const found = new Map<string, { resource: string; names: readonly string[]; verbs: string[] }>();
  const add = (resource: string, verb: string, forNames: readonly string[]) => {
    const key = JSON.stringify([resource, forNames]);
    const entry = found.get(key) ?? { resource, names: forNames, verbs: [] };
    entry.verbs.push(verb);
    found.set(key, entry);
  };
  for (const [subresource, verbs] of questionsOf(guarded)) {
    const resource = subresource === '' ? plural : `${plural}/${subresource}`;
    for (const verb of verbs) {
      if (allowed(verb, subresource, '')) {
        add(resource, verb, []);
      } else if (ofAdmin || guarded.right(subresource, verb) !== undefined) {
        const some = names.filter((name) => allowed(verb, subresource, name));
        if (some.length > 0) add(resource, verb, some);
      }
    }
  }
  return [...found.values()].map((entry) => ({
    verbs: entry.verbs,
    apiGroups: [group],
    resources: [entry.resource],
    ...(entry.names.length === 0 ? {} : { resourceNames: entry.names }),
  }));
}

/** Everything that can be asked of a kind: a line for any field is one for each that the kind has. */
function questionsOf({ kind, rights }: GuardedKind): Map<string, Set<string>> {
  const questions = new Map([['', new Set(plainVerbs)]]);
  for (const { on, verbs } of rights) {
    for (const subresource of on.flatMap((each) => (anyField(each) === each ? fieldsOf(kind, each) : [each]))) {
      const known = questions.get(subresource) ?? new Set<string>();
      for (const verb of verbs) known.add(verb);
      questions.set(subresource, known);
    }
  }
  return questions;
}

/** `spec.*` or `metadata.*`, field by field. */
function fieldsOf({ schema }: ResourceKind, any: string): string[] {
  const part = any.slice(0, any.indexOf('.'));
  const fields = part === 'metadata' ? guardedMetadata : Object.keys(schema.properties?.spec?.properties ?? {});
  return fields.map((field) => `${part}.${field}`);
}

type Objects = (state: ReviewState, namespace: string) => Iterable<KubeObject>;

const objectsOf: ReadonlyMap<string, Objects> = new Map<string, Objects>([
  [projectKind.plural, (state) => state.projects()],
  [namespaceKind.plural, (state) => state.namespaces()],
  [clusterKind.plural, (state) => state.clusters()],
  [virtualClusterTemplateKind.plural, (state) => state.templates()],
  [userKind.plural, (state) => state.users()],
  [teamKind.plural, (state) => state.teams()],
  [virtualClusterInstanceKind.plural, (state, namespace) => state.instancesOf(projectOfNamespace(namespace) ?? '')],
  [eventKind.plural, (state, namespace) => state.eventsOf(namespace)],
]);

/** Names that the caller may have rights for: of what they can read, and of what gives out rights by itself. */
function namesOf(
  { kind }: GuardedKind,
  subject: Subject,
  namespace: string,
  state: ReviewState,
  cut: string[],
): string[] {
  const reads = readerOf(subject, kind, state, 'get');
  const names: string[] = [];
  let looked = 0;
  for (const object of objectsOf.get(kind.plural)?.(state, namespace) ?? []) {
    if (names.length === mostNames || looked === mostObjects) {
      cut.push(kind.plural);
      break;
    }
    looked++;
    const mayMatter = reads === undefined || reads(object) || listAt(object, 'spec', 'access').length > 0;
    if (mayMatter) names.push(object.metadata.name ?? '');
  }
  return names.sort(compareBytes);
}

/** A key's rules may name paths of their own; only an admin has rights on others than the open ones. */
function pathsOf({ user, scopes }: Subject): string[] {
  const named = isAdmin(user) ? scopes.flatMap((scope) => scope.rules.flatMap((rule) => rule.paths)) : [];
  return [...new Set([...openPaths, ...named])];
}
