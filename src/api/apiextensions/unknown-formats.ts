import { isKnownFormat } from '../schema/format.ts';
import type { DefinitionSpec, SchemaProps } from './definition.ts';
import { partsOf } from './structural.ts';

/** Formats that the schemas of a definition name and that nobody checks. */
export function unknownFormats(spec: DefinitionSpec): string[] {
  const found: string[] = [];
  const look = (schema: SchemaProps): void => {
    const { format } = schema;
    if (format !== undefined && !isKnownFormat(schema.type, format)) found.push(format);
    for (const part of partsOf(schema)) look(part);
  };
  for (const { schema } of spec.versions ?? []) {
    if (schema?.openAPIV3Schema !== undefined) look(schema.openAPIV3Schema);
  }
  return found;
}
