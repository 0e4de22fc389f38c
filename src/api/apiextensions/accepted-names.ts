import { equalJson, type JsonValue } from '@flotilla/json';
import type { Condition } from '../conditions.ts';
import type { Definition, DefinitionNames } from './definition.ts';
import { isConditionTrue } from './definition.ts';

/** Names of other kinds in the same group: resource names and kinds. */
export interface UsedNames {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

export interface NameAcceptance {
  readonly names: DefinitionNames;
  readonly condition: Condition;
}

/**
 * Determines which of the requested names a definition gets. It does not get names that are in use, and keeps its
 * previous ones instead. The condition describes the conflict.
 */
export function acceptNames({ spec, status }: Definition, used: UsedNames): NameAcceptance {
  const requested = spec.names ?? {};
  const previous = status.acceptedNames ?? {};
  const names: Record<string, JsonValue> = { ...(previous as Record<string, JsonValue>) };
  let conflict: { reason: string; message: string } | undefined;
  const settle = (member: keyof DefinitionNames, reason: string, taken: readonly string[]) => {
    if (taken.length > 0) {
      const messages = taken.map((name) => `${JSON.stringify(name)} is already in use`);
      conflict = { reason, message: messages.length === 1 ? (messages[0] ?? '') : `[${messages.join(', ')}]` };
    } else if (requested[member] === undefined) delete names[member];
    else names[member] = requested[member] as JsonValue;
  };
  const takenOf = (member: 'plural' | 'singular' | 'kind' | 'listKind', set: ReadonlySet<string>) => {
    const name = requested[member] ?? '';
    return name !== (previous[member] ?? '') && set.has(name) ? [name] : [];
  };
  settle('plural', 'PluralConflict', takenOf('plural', used.resources));
  settle('singular', 'SingularConflict', takenOf('singular', used.resources));
  const newShort = (requested.shortNames ?? []).filter((name) => !(previous.shortNames ?? []).includes(name));
  settle(
    'shortNames',
    'ShortNamesConflict',
    newShort.filter((name) => used.resources.has(name)),
  );
  settle('kind', 'KindConflict', takenOf('kind', used.kinds));
  settle('listKind', 'ListKindConflict', takenOf('listKind', used.kinds));
  settle('categories', '', []);
  const condition: Condition =
    conflict === undefined
      ? { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
      : { type: 'NamesAccepted', status: 'False', ...conflict };
  return { names: inOrder(names), condition };
}

const order = ['plural', 'singular', 'shortNames', 'kind', 'listKind', 'categories'] as const;

function inOrder(names: Record<string, JsonValue>): DefinitionNames {
  const filled = order.filter((member) => names[member] !== undefined);
  return Object.fromEntries(filled.map((member) => [member, names[member]])) as DefinitionNames;
}

/** True if the kind is or can be served under its requested names. */
export function isEstablished(definition: Definition): boolean {
  const { spec, status } = definition;
  const same = equalJson(spec.names as JsonValue | undefined, status.acceptedNames as JsonValue | undefined);
  return same && isConditionTrue(definition, 'NamesAccepted') && isConditionTrue(definition, 'Established');
}
