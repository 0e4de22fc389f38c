import { type FieldError, required } from '../field-error.ts';
import { childPath, indexPath, keyPath } from '../schema/field-path.ts';
import { itemsOf, type SchemaProps } from './definition.ts';

/** Members and items that a condition speaks of must be there in the schema itself. */
export function completenessErrors(schema: SchemaProps, path: string): FieldError[] {
  return conditionsComplete(schema, schema, path, path);
}

function conditionsComplete(said: SchemaProps, schema: SchemaProps, path: string, saidPath: string): FieldError[] {
  const errors = said.not === undefined ? [] : nestedComplete(said.not, schema, path, childPath(saidPath, 'not'));
  for (const word of ['allOf', 'anyOf', 'oneOf'] as const) {
    (said[word] ?? []).forEach((part, index) => {
      errors.push(...nestedComplete(part, schema, path, indexPath(childPath(saidPath, word), index)));
    });
  }
  return errors;
}

function nestedComplete(
  said: SchemaProps,
  schema: SchemaProps | undefined,
  path: string,
  saidPath: string,
): FieldError[] {
  if (schema === undefined) return [required(path, `because it is defined in ${saidPath}`)];
  const errors = conditionsComplete(said, schema, path, saidPath);
  const items = itemsOf(said);
  if (items !== undefined) {
    errors.push(...nestedComplete(items, itemsOf(schema), childPath(path, 'items'), childPath(saidPath, 'items')));
  }
  const { properties = {} } = schema;
  for (const [name, member] of Object.entries(said.properties ?? {})) {
    const at = (parent: string) => keyPath(childPath(parent, 'properties'), name);
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
    errors.push(...nestedComplete(member, own, at(path), at(saidPath)));
  }
  return errors;
}
