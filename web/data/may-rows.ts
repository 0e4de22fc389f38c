import type { KindRef } from './kind-ref.ts';
import { useMayEach } from './permissions.ts';
import type { Row } from './table-rows.ts';

/** Asked about one by one, at most: of more than that the server says so itself when it is tried. */
const mostByName = 50;

export interface MayRows {
  /** False while something is not known yet. */
  readonly known: boolean;
  may(row: Row): boolean;
}

/** Which of these rows the verb may be done to: in whole namespaces where one may, else by name. */
export function useMayRows(kind: KindRef, verb: string, rows: readonly Row[]): MayRows {
  const namespaces = [...new Set(rows.map(({ metadata }) => metadata.namespace ?? ''))];
  const everywhere = useMayEach(namespaces.map((namespace) => ({ verb, kind, namespace })));
  const open = new Set(namespaces.filter((_, index) => everywhere[index]?.allowed === true));
  const areKnown = everywhere.every(({ known }) => known);
  const others = areKnown ? rows.filter(({ metadata }) => !open.has(metadata.namespace ?? '')) : [];
  const asked = others.slice(0, mostByName);
  const byName = useMayEach(asked.map(({ metadata: { namespace, name = '' } }) => ({ verb, kind, namespace, name })));
  const refused = new Set(asked.filter((_, index) => byName[index]?.allowed !== true).map(({ key }) => key));
  return {
    known: areKnown && byName.every(({ known }) => known),
    may: ({ key, metadata }) => open.has(metadata.namespace ?? '') || (areKnown && !refused.has(key)),
  };
}
