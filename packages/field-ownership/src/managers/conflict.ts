import { compareBytes } from '@flotilla/json';
import { ApplyConflictError } from '../apply-errors.ts';
import type { FieldSet } from '../field-set/field-set.ts';
import { type FieldPath, printPath } from '../field-set/path-element.ts';
import { type ManagedSet, managerIdentity } from './managers.ts';

/** A field that an apply would change and that another manager owns. */
export interface ApplyConflict {
  readonly owner: ManagedSet;
  readonly path: FieldPath;
}

export function conflictsWith(owner: ManagedSet, fields: FieldSet): ApplyConflict[] {
  return fields.paths().map((path) => ({ owner, path }));
}

/** Creates the error that lists all conflicts, sorted by manager (rules SSA-11, SSA-12). */
export function conflictError(conflicts: readonly ApplyConflict[]): ApplyConflictError {
  const sorted = [...conflicts].sort((a, b) => compareBytes(managerIdentity(a.owner), managerIdentity(b.owner)));
  const fields = sorted.map(({ owner, path }) => ({
    manager: owner.manager,
    field: printPath(path),
    message: `conflict with ${printOwner(owner)}`,
  }));
  return new ApplyConflictError(conflictMessage(sorted), fields);
}

function conflictMessage(sorted: readonly ApplyConflict[]): string {
  const [only] = sorted;
  if (only !== undefined && sorted.length === 1) {
    return `Apply failed with 1 conflict: conflict with ${printOwner(only.owner)}: ${printPath(only.path)}`;
  }
  const lines: string[] = [];
  let current: ManagedSet | undefined;
  for (const { owner, path } of sorted) {
    if (owner !== current) lines.push(`conflicts with ${printOwner(owner)}:`);
    current = owner;
    lines.push(`- ${printPath(path)}`);
  }
  return `Apply failed with ${sorted.length} conflicts: ${lines.join('\n')}`;
}

function printOwner({ manager, operation, apiVersion, subresource }: ManagedSet): string {
  const through = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  const using = operation === 'Update' ? ` using ${apiVersion}` : '';
  return `${JSON.stringify(manager)}${through}${using}`;
}
