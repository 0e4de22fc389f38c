import { useMemo } from 'react';
import { kinds } from '../../data/kind-ref.ts';
import { serverColumns } from '../../data/rows/list-columns.ts';
import type { Row } from '../../data/rows/table-rows.ts';
import { useRows } from '../../data/rows/use-rows.ts';

/** Returns the virtual clusters that use a template, as far as the caller may see them. */
export function useTemplateInstances(template: string): readonly Row[] {
  const { columns, rows } = useRows({ kind: kinds.instance });
  return useMemo(() => {
    const column = serverColumns(columns).find(({ name }) => name === 'Template');
    return column === undefined ? [] : rows.filter((row) => column.text(row) === template);
  }, [columns, rows, template]);
}
