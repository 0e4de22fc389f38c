import { compareBytes } from '@flotilla/json';
import { applyConflict, type StatusError } from '../../api/status.ts';
import type { FieldSet } from './field-set.ts';
import { type ManagedSet, managerIdentity } from './managers.ts';
import { type FieldPath, printPath } from './path-element.ts';

/** A field that an apply would change and that another manager owns. */
export interface ApplyConflict {
  readonly owner: ManagedSet;
  readonly path: FieldPath;
}

export function conflictsWith(owner: ManagedSet, fields: FieldSet): ApplyConflict[] {
  return fields.paths().map((path) => ({ owner, path }));
}

/** Creates the 409 error that lists all conflicts, sorted by manager (rules SSA-11, SSA-12). */
export function conflictError(conflicts: readonly ApplyConflict[]): StatusError {
  const sorted = [...conflicts].sort((a, b) => compareBytes(managerIdentity(a.owner), managerIdentity(b.owner)));
  const causes = sorted.map(({ owner, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${printOwner(owner)}`,
    field: printPath(path),
  }));
  return applyConflict(conflictMessage(sorted), causes);
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
