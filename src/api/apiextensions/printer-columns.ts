import type { JsonValue } from '@flotilla/json';
import type { Column } from '../resource.ts';
import { unknownCell } from '../table.ts';
import { compileColumnPath, overLimit } from './column-path.ts';
import type { PrinterColumn } from './definition.ts';

/**
 * The maximum number of printer columns of a version. Kubernetes has no limit, but each column costs time in each row
 * of a Table, and nobody reads a line with a hundred columns.
 */
export const maxPrinterColumns = 100;

/**
 * Returns the printer columns of a version. `undefined` if the version defines no columns; the caller then uses the age
 * column. As in Kubernetes, a column with an invalid path is omitted, and also all columns after it.
 */
export function printerColumns(definitions: readonly PrinterColumn[] | undefined): Column[] | undefined {
  if (definitions === undefined || definitions.length === 0) return undefined;
  const columns: Column[] = [];
  // Ignore further columns, which a definition can have if it was stored before the limit existed.
  for (const definition of definitions.slice(0, maxPrinterColumns)) {
    const { name = '', type = 'string', format, description = '', priority = 0, jsonPath = '' } = definition;
    const find = compileColumnPath(jsonPath);
    if (find === undefined) break;
    columns.push({
      name,
      type: type as Column['type'],
      ...(format === undefined ? {} : { format }),
      description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
      priority,
      value(object, _now, meter) {
        const found = find(object as JsonValue, meter);
        return found === overLimit ? unknownCell : found;
      },
    });
  }
  return columns;
}
