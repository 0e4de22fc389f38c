import { isKnownFormat } from '@flotilla/kubernetes-formats';
import type { DefinitionSpec, SchemaProps } from './definition.ts';
import { subschemasOf } from './structural.ts';

/**
 * Returns the formats in the schemas of a CustomResourceDefinition that the server does not know and therefore ignores.
 */
export function unknownFormats(spec: DefinitionSpec): string[] {
  const found: string[] = [];
  const visit = (schema: SchemaProps): void => {
    const { format } = schema;
    if (format !== undefined && !isKnownFormat(schema.type, format)) found.push(format);
    for (const part of subschemasOf(schema)) visit(part);
  };
  for (const { schema } of spec.versions ?? []) {
    if (schema?.openAPIV3Schema !== undefined) visit(schema.openAPIV3Schema);
  }
  return found;
}
