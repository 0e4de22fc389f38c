import { useMemo } from 'react';
import type { KindRef } from '../../data/kind-ref.ts';
import { serverColumns } from '../../data/rows/list-columns.ts';
import type { Row } from '../../data/rows/table-rows.ts';
import { useRows } from '../../data/rows/use-rows.ts';

/** Returns the instances of a kind that use a template, as far as the caller may see them. */
export function useTemplateInstances(kind: KindRef, template: string): readonly Row[] {
  const { columns, rows } = useRows({ kind });
  return useMemo(() => {
    const column = serverColumns(columns).find(({ name }) => name === 'Template');
    return column === undefined ? [] : rows.filter((row) => column.text(row) === template);
  }, [columns, rows, template]);
}
