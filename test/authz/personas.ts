import { adminsGroup } from '../../src/api/naming.ts';
import type { Person } from './oracle/relations.ts';
import { ruleShapes } from './oracle/rule-shapes.ts';
import { createsKeys } from './oracle/scope-predicates.ts';
import { mixedShapes, type ScopeShape, scopeShapes } from './oracle/scope-shapes.ts';
import type { RequestedAction } from './requested-action.ts';
import { adminUsers, auditorUsers, teams, users } from './world.ts';

/** A caller with a key. */
export interface Persona {
  readonly name: string;
  readonly person: Person;
  /** The principal that the key is created for. */
  readonly holder: { readonly user?: string; readonly team?: string; readonly subject?: string };
  readonly groups?: readonly string[];
  /** The scopes of the key, oldest first. Each later scope belongs to a key that was created with the previous key. */
  readonly scopes: readonly (ScopeShape | undefined)[];
}

/** True if all scopes of a key allow the request. */
export function covered({ scopes }: Pick<Persona, 'scopes'>, ask: RequestedAction): boolean {
  return scopes.every((shape) => shape === undefined || [createsKeys, ...shape.covers].some((cover) => cover(ask)));
}

function personOf(user: string): Person {
  const own = teams.filter((team) => team.users.includes(user)).map(({ name }) => name);
  return { user, teams: own, admin: adminUsers.includes(user), auditor: auditorUsers.includes(user) };
}

function ofUser(user: string, scopes: Persona['scopes'] = [], name = user): Persona {
  return { name, person: personOf(user), holder: { user }, scopes };
}

/** All personas whose key has no scope. */
export const plainPersonas: readonly Persona[] = [
  ...users.filter((user) => user !== 'gone' && user !== 'watched').map((user) => ofUser(user)),
  { name: 'crew', person: { teams: ['crew'], admin: false }, holder: { team: 'crew' }, scopes: [] },
  { name: 'subject', person: { teams: [], admin: false }, holder: { subject: 'robot' }, scopes: [] },
  {
    name: 'admin-subject',
    person: { teams: [], admin: true },
    holder: { subject: 'admin-robot' },
    groups: [adminsGroup],
    scopes: [],
  },
  {
    name: 'raised',
    person: { ...personOf('red-user'), admin: true },
    holder: { user: 'red-user' },
    groups: [adminsGroup],
    scopes: [],
  },
];

const shapes = [...scopeShapes, ...ruleShapes, ...mixedShapes];

function shapeOf(name: string): ScopeShape {
  const found = shapes.find((one) => one.name === name);
  if (found === undefined) throw new Error(`unknown scope shape ${name}`);
  return found;
}

/** Keys created with scoped keys; `-` is a key without its own scope. */
const chains: readonly (readonly string[])[] = [
  ['project', '-'],
  ['both-projects', 'project'],
  ['project', 'all-projects'],
  ['instance', 'project'],
  ['project', 'space'],
  ['rule-verbs', 'project'],
  ['tool', 'project'],
  ['rule-everything', 'tool-project', 'all-projects'],
];

/**
 * Returns personas with the same scopes for several holders: for an admin, where the scope alone decides, and for users
 * with fewer permissions.
 */
export function scopedPersonas(holders: readonly string[]): readonly Persona[] {
  return holders.flatMap((user) => [
    ...shapes.map((shape) => ofUser(user, [shape], `${user}-${shape.name}`)),
    ...chains.map((chain) =>
      ofUser(
        user,
        chain.map((name) => (name === '-' ? undefined : shapeOf(name))),
        `${user}-${chain.map((name) => (name === '-' ? 'none' : name)).join('-then-')}`,
      ),
    ),
  ]);
}

/** One persona of each sort, for the quick suite; the slow suite tests all of them. */
export const somePersonas: readonly Persona[] = [
  ...plainPersonas.filter(({ name }) =>
    ['second-admin', 'red-admin', 'red-user', 'red-viewer', 'reader', 'outsider', 'auditor'].includes(name),
  ),
  ...scopedPersonas(['red-admin']).filter(({ name }) =>
    ['red-admin-project', 'red-admin-instance', 'red-admin-tool'].includes(name),
  ),
];
