import { compareBytes } from '@flotilla/json';
import { ApplyConflictError, type FieldConflict } from '../apply-errors.ts';
import type { FieldSet } from '../field-set/field-set.ts';
import { printElement } from '../field-set/path-element.ts';
import { type ManagedSet, managerIdentity } from './managers.ts';

/** The fields of one other manager that an apply would change. */
export interface ApplyConflict {
  readonly owner: ManagedSet;
  readonly fields: FieldSet;
}

/**
 * The maximum total length of all listed fields. Many fields can have the same long parent path, so without a limit the
 * list could be thousands of times as long as the object.
 */
const maxCharacters = 1_000_000;

/** Creates the error that lists the conflicts, sorted by manager (rules SSA-11, SSA-12). */
export function conflictError(conflicts: readonly ApplyConflict[]): ApplyConflictError {
  const sorted = [...conflicts].sort((a, b) => compareBytes(managerIdentity(a.owner), managerIdentity(b.owner)));
  const printer = new ConflictPrinter();
  for (const { owner, fields } of sorted) printer.print(owner, fields);
  return new ApplyConflictError(printer.message(), printer.conflicts);
}

/** Prints the fields of conflicts up to the maximum length, and counts all of them. */
class ConflictPrinter {
  readonly conflicts: FieldConflict[] = [];
  readonly #lines: string[] = [];
  #count = 0;
  #characters = 0;

  print(owner: ManagedSet, fields: FieldSet): void {
    const message = `conflict with ${printOwner(owner)}`;
    const first = this.conflicts.length;
    this.#count += fields.size;
    this.#printFields(fields, '', { manager: owner.manager, message });
    if (this.conflicts.length > first) this.#lines.push(`conflicts with ${printOwner(owner)}:`);
    for (const { field } of this.conflicts.slice(first)) this.#lines.push(`- ${field}`);
  }

  /** Prints shorter paths first, level by level. */
  #printFields(fields: FieldSet, prefix: string, conflict: Omit<FieldConflict, 'field'>): void {
    const members = fields.members();
    for (const { element, member } of members) {
      if (!member || this.#characters > maxCharacters) continue;
      const field = `${prefix}${printElement(element)}`;
      this.#characters += field.length;
      this.conflicts.push({ manager: conflict.manager, field, message: conflict.message });
    }
    for (const { element, below } of members) {
      if (this.#characters > maxCharacters) return;
      if (below !== undefined) this.#printFields(below, `${prefix}${printElement(element)}`, conflict);
    }
  }

  message(): string {
    const [only] = this.conflicts;
    if (only !== undefined && this.#count === 1) return `Apply failed with 1 conflict: ${only.message}: ${only.field}`;
    const omitted = this.#count - this.conflicts.length;
    const rest = omitted === 0 ? [] : [`- and ${omitted} other fields`];
    return `Apply failed with ${this.#count} conflicts: ${[...this.#lines, ...rest].join('\n')}`;
  }
}

function printOwner({ manager, operation, apiVersion, subresource }: ManagedSet): string {
  const through = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  const using = operation === 'Update' ? ` using ${apiVersion}` : '';
  return `${JSON.stringify(manager)}${through}${using}`;
}
