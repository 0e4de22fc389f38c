/** A field that an apply would change and that another manager owns. */
export interface FieldConflict {
  /** The name of the manager that owns the field. */
  readonly manager: string;
  /** The path of the field, for example `.spec.list[name="x"].value`. */
  readonly field: string;
  /** A message that describes the owner, for example `conflict with "kubectl"`. */
  readonly message: string;
}

/** Thrown if an apply without force would change fields of other managers. */
export class ApplyConflictError extends Error {
  override readonly name = 'ApplyConflictError';
  /** All conflicts, sorted by manager. */
  readonly conflicts: readonly FieldConflict[];

  constructor(message: string, conflicts: readonly FieldConflict[]) {
    super(message);
    this.conflicts = conflicts;
  }
}

/** Thrown for an applied object that is of another kind or contains managedFields. */
export class InvalidApplyError extends Error {
  override readonly name = 'InvalidApplyError';
}

/** Thrown by an apply if the applied or the live object does not fit the schema of its kind. */
export class SchemaMismatchError extends Error {
  override readonly name = 'SchemaMismatchError';
}

/** Thrown by an apply if the applied or the live object has more fields than apply supports. */
export class TooManyFieldsError extends Error {
  override readonly name = 'TooManyFieldsError';
}
