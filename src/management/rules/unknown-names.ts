import { equalJson } from '@flotilla/json';
import { type FieldError, notSupported } from '../../api/field-error.ts';
import type { AccessEntry } from '../../api/management/v1/access.ts';
import { clusterKind } from '../../api/management/v1/cluster.ts';
import { projectKind } from '../../api/management/v1/project.ts';
import type { Scope } from '../../api/management/v1/scope.ts';
import { teamKind } from '../../api/management/v1/team.ts';
import { userKind } from '../../api/management/v1/user.ts';
import { type ResourceKind, typedObject } from '../../api/resource.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { StoredResource } from '../../registry/resource.ts';
import type { SharedFields } from '../shared-fields.ts';
import type { ManagementState } from '../state.ts';

type Lookups = Pick<ManagementState, 'user' | 'team' | 'project' | 'cluster'>;

/** The verbs that an entry of `access` can grant. */
const accessVerbs = ['get', 'list', 'watch', 'update', 'patch', 'delete', 'use', '*'] as const;

/** The fields of a spec that name users and teams. */
const principalLists = ['access', 'extraAccessRules'] as const;

/** Maximum number of names that are looked up for one write. */
const maxLookups = 200;

/**
 * Adds to the rules of a kind: verbs in `spec.access` must exist, and unknown users and teams in `spec.access` and
 * `spec.extraAccessRules` cause a warning. Unknown names are allowed, because manifests may be applied in any order.
 */
export function withKnownNames(resource: StoredResource, state: Lookups): StoredResource {
  return {
    ...resource,
    validate(draft, context, subresource) {
      const errors = resource.validate?.(draft, context, subresource) ?? [];
      const { old, object } = draft;
      const { spec } = typedObject<SharedFields>(resource, object);
      const before = old && typedObject<SharedFields>(resource, old.object).spec;
      const isChanged = (list: (typeof principalLists)[number]) => !equalJson(spec?.[list] ?? [], before?.[list] ?? []);
      const changed = context.system ? [] : principalLists.filter(isChanged);
      if (changed.length === 0) return errors;
      const names = changed.flatMap((list) => principalNames(spec?.[list] ?? [], list));
      return warnAboutUnknown(names, context, state).then(async () => [
        ...(await errors),
        ...(changed.includes('access') ? verbErrors(spec?.access ?? []) : []),
      ]);
    },
  };
}

/** Warns about projects and clusters in the scope of an access key that do not exist, and about unusual verbs. */
export async function warnAboutScope(
  scope: Scope | null | undefined,
  context: RequestContext,
  state: Lookups,
): Promise<void> {
  const { projects = [], virtualClusters = [], clusters = [], rules = [] } = scope ?? {};
  const names = [
    ...namesIn(projects, { list: 'projects', member: 'project', kind: projectKind }),
    ...namesIn(virtualClusters, { list: 'virtualClusters', member: 'project', kind: projectKind }),
    ...namesIn(clusters, { list: 'clusters', member: 'cluster', kind: clusterKind }),
  ];
  await warnAboutUnknown(names, context, state);
  for (const [index, { verbs = [] }] of rules.entries()) {
    for (const [at, verb] of verbs.entries()) {
      if (knownRuleVerbs.has(verb)) continue;
      context.warn(
        `spec.scope.rules[${index}].verbs[${at}]: no request has the verb ${JSON.stringify(verb)}, unless a cluster defines it`,
      );
    }
  }
}

const knownRuleVerbs: ReadonlySet<string> = new Set([
  ...['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection', 'use', '*'],
  ...['impersonate', 'bind', 'escalate', 'approve', 'sign', 'attest', 'post', 'put', 'head', 'options'],
]);

interface NamedReference {
  readonly field: string;
  readonly kind: ResourceKind;
  readonly name: string;
}

/**
 * Warns about objects that do not exist or that the caller may not read. Both cases have the same warning, so it does
 * not reveal which objects exist.
 */
async function warnAboutUnknown(
  references: readonly NamedReference[],
  context: RequestContext,
  state: Lookups,
): Promise<void> {
  for (const { field, kind, name } of references.slice(0, maxLookups)) {
    if (exists(kind, name, state) && (await mayRead(kind, name, context))) continue;
    context.warn(`${field}: ${kind.singular} ${JSON.stringify(name)} does not exist yet, or you may not read it`);
  }
}

function exists(kind: ResourceKind, name: string, state: Lookups): boolean {
  if (kind === userKind) return state.user(name) !== undefined;
  if (kind === teamKind) return state.team(name) !== undefined;
  return (kind === projectKind ? state.project(name) : state.cluster(name)) !== undefined;
}

async function mayRead({ group, plural }: ResourceKind, name: string, context: RequestContext): Promise<boolean> {
  return await context.may({ verb: 'get', group, resource: plural, name });
}

function principalNames(entries: readonly Pick<AccessEntry, 'users' | 'teams'>[], list: string): NamedReference[] {
  return entries.flatMap((entry, index) =>
    (
      [
        ['users', userKind],
        ['teams', teamKind],
      ] as const
    ).flatMap(([member, kind]) =>
      (entry[member] ?? [])
        .filter((name) => name !== '*')
        .map((name, at) => ({ field: `spec.${list}[${index}].${member}[${at}]`, kind, name })),
    ),
  );
}

/** Returns the names in a list of a scope, except `*`. */
function namesIn<Member extends string>(
  entries: readonly { readonly [member in Member]?: string }[],
  { list, member, kind }: { readonly list: keyof Scope; readonly member: Member; readonly kind: ResourceKind },
): NamedReference[] {
  return entries.flatMap((entry, index) => {
    const name = entry[member] ?? '';
    return name === '' || name === '*' ? [] : [{ field: `spec.scope.${list}[${index}].${member}`, kind, name }];
  });
}

function verbErrors(access: readonly Partial<AccessEntry>[]): FieldError[] {
  return access.flatMap(({ verbs = [] }, index) =>
    verbs.flatMap((verb, at) =>
      (accessVerbs as readonly string[]).includes(verb)
        ? []
        : [notSupported(`spec.access[${index}].verbs[${at}]`, verb, accessVerbs)],
    ),
  );
}
