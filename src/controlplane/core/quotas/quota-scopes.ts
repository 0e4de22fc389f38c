import { type JsonValue, listAt, textAt, textsAt, writeJson } from '@flotilla/json';
import type { KubeObject } from '../../../api/meta.ts';
import { isValuelessScope } from './quota-names.ts';

/**
 * The quota scopes that an object is in. For the scopes PriorityClass and VolumeAttributesClass, the values are the
 * names of the classes that the object uses, possibly none. Scopes that do not apply to the kind are absent from the
 * map.
 */
export type ObjectScopes = ReadonlyMap<string, readonly string[]>;

/** The scopes of a quota. The quota measures only the objects that are in all of these scopes. */
export interface ScopeSelector {
  /**
   * A text that identifies the selector. Selectors whose scopes are equal and written identically have equal keys. ''
   * selects all objects.
   */
  readonly key: string;
  matches(scopes: ObjectScopes): boolean;
}

interface Requirement {
  readonly scope: string;
  readonly operator: string;
  readonly values: ReadonlySet<string>;
}

/**
 * The selectors of quota objects. Cached because quota objects do not change, and each write in the namespace needs the
 * selectors.
 */
const selectors = new WeakMap<KubeObject, ScopeSelector>();

export function scopeSelectorOf(quota: KubeObject): ScopeSelector {
  const known = selectors.get(quota);
  if (known !== undefined) return known;
  const selector = createSelector(quota as JsonValue);
  selectors.set(quota, selector);
  return selector;
}

function createSelector(quota: JsonValue): ScopeSelector {
  const scopes = new Set(textsAt(quota, 'spec', 'scopes'));
  const expressions = listAt(quota, 'spec', 'scopeSelector', 'matchExpressions');
  const requirements = [
    ...[...scopes].map((scope): Requirement => ({ scope, operator: 'Exists', values: new Set() })),
    ...expressions.map(
      (expression): Requirement => ({
        scope: textAt(expression, 'scopeName'),
        operator: textAt(expression, 'operator'),
        values: new Set(textsAt(expression, 'values')),
      }),
    ),
  ];
  const key = requirements.length === 0 ? '' : writeJson([[...scopes], [...expressions]]);
  return { key, matches: (object) => requirements.every((requirement) => meets(object, requirement)) };
}

function meets(object: ObjectScopes, { scope, operator, values }: Requirement): boolean {
  const own = object.get(scope);
  if (own === undefined) return false;
  if (isValuelessScope(scope)) return true;
  switch (operator) {
    case 'Exists':
      return own.length > 0;
    case 'DoesNotExist':
      return own.length === 0;
    case 'In':
      return own.some((value) => values.has(value));
    default:
      return own.length === 0 || own.some((value) => !values.has(value));
  }
}
