import type { KindRef } from '../kind-ref.ts';
import { usePermissions } from '../permissions.ts';
import type { Row } from './table-rows.ts';

/**
 * The maximum number of rows whose permissions are checked one by one. All further rows count as permitted, and the
 * server decides when the user acts.
 */
const maxChecksByName = 50;

export interface PermittedRows {
  /** False until all permissions are known. */
  readonly known: boolean;
  isPermitted(row: Row): boolean;
}

/**
 * Finds the rows on which a verb is permitted. First checks whole namespaces, then single rows in the namespaces in
 * which the verb is not permitted as a whole.
 */
export function usePermittedRows(kind: KindRef, verb: string, rows: readonly Row[]): PermittedRows {
  const namespaces = [...new Set(rows.map(({ metadata }) => metadata.namespace ?? ''))];
  const everywhere = usePermissions(namespaces.map((namespace) => ({ verb, kind, namespace })));
  const open = new Set(namespaces.filter((_, index) => everywhere[index]?.allowed === true));
  const areKnown = everywhere.every(({ known }) => known);
  const others = areKnown ? rows.filter(({ metadata }) => !open.has(metadata.namespace ?? '')) : [];
  const checked = others.slice(0, maxChecksByName);
  const byName = usePermissions(
    checked.map(({ metadata: { namespace, name = '' } }) => ({ verb, kind, namespace, name })),
  );
  const refused = new Set(checked.filter((_, index) => byName[index]?.allowed !== true).map(({ key }) => key));
  return {
    known: areKnown && byName.every(({ known }) => known),
    isPermitted: ({ key, metadata }) => open.has(metadata.namespace ?? '') || (areKnown && !refused.has(key)),
  };
}
