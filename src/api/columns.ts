import { type JsonObject, type JsonValue, valueAt } from '@flotilla/json';
import type { AnyFields, TypedObject } from './meta.ts';
import { quarantinedReason } from './quarantined-reason.ts';
import type { Column } from './resource.ts';

interface ColumnOptions {
  readonly description: string;
  readonly wide?: boolean;
  readonly verbatim?: boolean;
  /**
   * The path of the field with the value most similar to the result of a `source` function. Used by clients that can
   * show only fields.
   */
  readonly path?: string;
}

/** Returns a column whose value is a field of the object (`source` is its path) or the result of a function. */
export function column<Fields extends JsonObject = AnyFields>(
  name: string,
  source: string | ((object: TypedObject<Fields>, now: number) => JsonValue | undefined),
  options: ColumnOptions & { readonly type?: Column['type'] },
): Column<Fields> {
  const steps = typeof source === 'string' ? source.split('.') : [];
  const path = typeof source === 'string' ? source : options.path;
  return {
    name,
    type: options.type ?? 'string',
    description: options.description,
    priority: options.wide === true ? 1 : 0,
    ...(options.verbatim === true ? { verbatim: true } : {}),
    ...(path === undefined ? {} : { path }),
    value: (object, now) =>
      typeof source === 'string' ? valueAt(object as JsonValue, ...steps) : source(object, now ?? Date.now()),
  };
}

export const ageColumn: Column = column('Age', 'metadata.creationTimestamp', {
  type: 'date',
  description: 'Time since the creation of the object.',
});

/**
 * The column with the creation time, for kinds for which Kubernetes shows the creation time instead of the age. Go
 * prints an absent time as the first day of the year 1.
 */
export const createdAtColumn: Column = column(
  'Created At',
  ({ metadata }) => metadata.creationTimestamp || '0001-01-01T00:00:00Z',
  { type: 'date', verbatim: true, description: 'The creation time of the object.' },
);

/** The fields that `displayedPhase` needs. */
type PhaseFields = { status?: { phase?: string; reason?: string } };

/**
 * Returns the phase to display: Terminating if the object is being deleted, Quarantined if the phase is caused by a
 * quarantine, otherwise `status.phase`.
 */
export function displayedPhase({ metadata, status = {} }: TypedObject<PhaseFields>): string | undefined {
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  return status.reason === quarantinedReason ? quarantinedReason : status.phase || undefined;
}
