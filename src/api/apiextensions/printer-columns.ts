import type { JsonValue } from '@flotilla/json';
import type { Column } from '../resource.ts';
import { compileColumnPath } from './column-path.ts';
import type { PrinterColumn } from './definition.ts';

/**
 * Returns the printer columns of a version. `undefined` if the version defines no columns; the caller then shows the
 * age. A column with an invalid path and all columns after it are omitted, as in Kubernetes.
 */
export function printerColumns(definitions: readonly PrinterColumn[] | undefined): Column[] | undefined {
  if (definitions === undefined || definitions.length === 0) return undefined;
  const columns: Column[] = [];
  for (const definition of definitions) {
    const { name = '', type = 'string', format, description = '', priority = 0, jsonPath = '' } = definition;
    const find = compileColumnPath(jsonPath);
    if (find === undefined) break;
    columns.push({
      name,
      type: type as Column['type'],
      ...(format === undefined ? {} : { format }),
      description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
      priority,
      value: (object) => find(object as JsonValue),
    });
  }
  return columns;
}
