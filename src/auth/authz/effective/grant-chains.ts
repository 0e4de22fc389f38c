import { adminsGroup, auditorsGroup } from '../../../api/naming.ts';
import type { AccessState } from '../access-state.ts';
import type { Caller } from '../caller.ts';
import { isGrantedByAccessList } from '../decide.ts';
import type { Permission } from '../permission-table.ts';
import { principalsOf } from '../principals.ts';
import { type Relation, type RelationContext, relations } from '../relations.ts';

/** The grants from which a permission results, from the caller to the object. */
export type GrantChain = readonly string[];

/** A caller with only one of the grants of the original caller, and the steps that lead to this grant. */
interface NarrowCaller {
  readonly steps: GrantChain;
  readonly caller: Caller;
}

const nobody: Caller = { user: undefined, team: undefined, subject: '', teams: [], isAdmin: false, isAuditor: false };

/** Returns one caller per identity of the caller: its user name, each team and each group. */
export function narrowCallers(caller: Caller): readonly NarrowCaller[] {
  const { user, team, subject, teams } = caller;
  return [
    ...(user === undefined ? [] : [{ steps: [], caller: { ...nobody, user, subject } }]),
    ...teams.map((each) => ({
      steps: each === team ? [] : [`team ${each}`],
      caller: { ...nobody, team: each === team ? team : undefined, teams: [each] },
    })),
    ...(caller.isAuditor ? [{ steps: [], caller: { ...nobody, isAuditor: true } }] : []),
  ];
}

/** A permission in question: the relations to the object, and the verb on the object or on a subresource. */
export interface GrantQuery {
  readonly permission: Permission | undefined;
  readonly context: RelationContext;
  readonly verb: string;
  readonly subresource: string;
  readonly narrow: readonly NarrowCaller[];
}

/**
 * Returns all chains of grants from which an allowed permission results. It evaluates the relations of the permission
 * table for callers with only one grant each, so the chains cannot disagree with the authorizer.
 */
export function grantChains(query: GrantQuery): GrantChain[] {
  const { permission, context } = query;
  const chains: GrantChain[] = context.caller.isAdmin ? [[`group ${adminsGroup}`]] : [];
  if (permission === undefined) return chains;
  for (const relation of permission.grantedTo) {
    const holds = (narrowed: RelationContext) => relations[relation].holds(narrowed);
    if (holds(context)) chains.push(...chainsOf(query, holds, (narrowed) => describe(relation, narrowed)));
  }
  for (const [index, entry] of (context.object?.spec?.access ?? []).entries()) {
    const object = context.object && { ...context.object, spec: { ...context.object.spec, access: [entry] } };
    const holds = ({ caller }: RelationContext) =>
      isGrantedByAccessList(permission, { ...context, caller, object }, query);
    const name = (entry.name ?? '') === '' ? `${index + 1}` : `"${entry.name}"`;
    if (holds(context)) chains.push(...chainsOf(query, holds, () => `access entry ${name} of the object`));
  }
  return chains;
}

/**
 * Returns one chain for each grant that is sufficient alone. If no grant is sufficient alone, the permission results
 * from several grants together. The result is then one chain that does not name these grants.
 */
function chainsOf(
  { context, narrow }: GrantQuery,
  holds: (context: RelationContext) => boolean,
  describeGrant: (context: RelationContext) => string,
): GrantChain[] {
  const forNobody = { ...context, caller: nobody };
  if (holds(forNobody)) return [[describeGrant(forNobody)]];
  const sufficient = narrow.flatMap(({ steps, caller }) => {
    const narrowed = { ...context, caller };
    return holds(narrowed) ? [[...steps, describeGrant(narrowed)]] : [];
  });
  return sufficient.length === 0 ? [[describeGrant(context)]] : sufficient;
}

/** The relations that result from membership in any project. The step in the chain names the first such project. */
const projectRelations: ReadonlySet<Relation> = new Set([
  'sharesProjectWithUser',
  'sharesProjectWithTeam',
  'allowedCluster',
  'allowedTemplate',
  'allowedSpaceTemplate',
]);

function describe(relation: Relation, context: RelationContext): string {
  const { reason } = relations[relation];
  if (relation === 'auditor') return `group ${auditorsGroup}`;
  if (!projectRelations.has(relation)) return reason;
  for (const principal of principalsOf(context.caller)) {
    for (const project of context.state.projectsOf(principal)) {
      const state = inProject(context.state, project);
      if (relations[relation].holds({ ...context, state })) return `project ${project}: ${reason}`;
    }
  }
  return reason;
}

/** Returns a state in which no principal is a member of a project other than this one. */
function inProject(state: AccessState, project: string): AccessState {
  const narrowed = Object.create(state) as { projectsOf: AccessState['projectsOf'] };
  narrowed.projectsOf = (principal) => (state.projectsOf(principal).has(project) ? new Set([project]) : none);
  return narrowed as AccessState;
}

const none: ReadonlySet<string> = new Set();
