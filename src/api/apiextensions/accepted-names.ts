import { equalJson, type JsonValue } from '@flotilla/json';
import type { Condition } from '../conditions.ts';
import type { Definition, DefinitionNames } from './definition.ts';
import { isConditionTrue } from './definition.ts';

/** Names that other kinds of the same API group already use: resource names (plural, singular, short) and kinds. */
export interface UsedNames {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

export interface NameAcceptance {
  readonly names: DefinitionNames;
  readonly condition: Condition;
}

/**
 * Determines the names that a CustomResourceDefinition gets. If another kind uses a requested name, the definition
 * keeps its previous name. The returned condition `NamesAccepted` describes the conflict.
 */
export function acceptNames({ spec, status }: Definition, used: UsedNames): NameAcceptance {
  const requested = spec.names ?? {};
  const previous = status.acceptedNames ?? {};
  const names: Record<string, JsonValue> = { ...(previous as Record<string, JsonValue>) };
  let conflict: { reason: string; message: string } | undefined;
  const acceptName = (member: keyof DefinitionNames, reason: string, conflicting: readonly string[]) => {
    if (conflicting.length > 0) {
      const messages = conflicting.map((name) => `${JSON.stringify(name)} is already in use`);
      conflict = { reason, message: messages.length === 1 ? (messages[0] ?? '') : `[${messages.join(', ')}]` };
    } else if (requested[member] === undefined) delete names[member];
    else names[member] = requested[member] as JsonValue;
  };
  const conflictingName = (member: 'plural' | 'singular' | 'kind' | 'listKind', set: ReadonlySet<string>) => {
    const name = requested[member] ?? '';
    return name !== (previous[member] ?? '') && set.has(name) ? [name] : [];
  };
  acceptName('plural', 'PluralConflict', conflictingName('plural', used.resources));
  acceptName('singular', 'SingularConflict', conflictingName('singular', used.resources));
  const newShort = (requested.shortNames ?? []).filter((name) => !(previous.shortNames ?? []).includes(name));
  acceptName(
    'shortNames',
    'ShortNamesConflict',
    newShort.filter((name) => used.resources.has(name)),
  );
  acceptName('kind', 'KindConflict', conflictingName('kind', used.kinds));
  acceptName('listKind', 'ListKindConflict', conflictingName('listKind', used.kinds));
  acceptName('categories', '', []);
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

/** True if the names in the spec of the CustomResourceDefinition are accepted and its kind is established. */
export function isEstablished(definition: Definition): boolean {
  const { spec, status } = definition;
  const same = equalJson(spec.names as JsonValue | undefined, status.acceptedNames as JsonValue | undefined);
  return same && isConditionTrue(definition, 'NamesAccepted') && isConditionTrue(definition, 'Established');
}
