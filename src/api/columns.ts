import { type JsonObject, type JsonValue, textAt, valueAt } from '@flotilla/json';
import type { AnyFields, KubeObject, TypedObject } from './meta.ts';
import type { Column } from './resource.ts';

interface ColumnOptions {
  readonly description: string;
  readonly wide?: boolean;
  readonly verbatim?: boolean;
}

/** Returns a column whose value is a field of the object (`source` is its path) or the result of a function. */
export function column<Fields extends JsonObject = AnyFields>(
  name: string,
  source: string | ((object: TypedObject<Fields>, now: number) => JsonValue | undefined),
  options: ColumnOptions & { readonly type?: Column['type'] },
): Column<Fields> {
  const path = typeof source === 'string' ? source.split('.') : [];
  return {
    name,
    type: options.type ?? 'string',
    description: options.description,
    priority: options.wide === true ? 1 : 0,
    ...(options.verbatim === true ? { verbatim: true } : {}),
    value: (object, now) =>
      typeof source === 'string' ? valueAt(object as JsonValue, ...path) : source(object, now ?? Date.now()),
  };
}

export const ageColumn: Column = column('Age', 'metadata.creationTimestamp', {
  type: 'date',
  description: 'Time since the creation of the object.',
});

/** Returns the phase to display: Terminating if the object is being deleted, otherwise `status.phase`. */
export function displayedPhase(object: KubeObject): string | undefined {
  if (object.metadata.deletionTimestamp !== undefined) return 'Terminating';
  const phase = textAt(object as JsonValue, 'status', 'phase');
  return phase === '' ? undefined : phase;
}
