import { useMemo } from 'react';
import { kinds } from '../../data/kind-ref.ts';
import { serverColumns } from '../../data/list-columns.ts';
import type { Row } from '../../data/table-rows.ts';
import { useRows } from '../../data/use-rows.ts';

/** The virtual clusters that use a template and that the caller may see. */
export function useMadeFrom(template: string): readonly Row[] {
  const { columns, rows } = useRows({ kind: kinds.instance });
  return useMemo(() => {
    const column = serverColumns(columns).find(({ name }) => name === 'Template');
    return column === undefined ? [] : rows.filter((row) => column.text(row) === template);
  }, [columns, rows, template]);
}
