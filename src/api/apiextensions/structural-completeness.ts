import { type FieldError, required } from '../field-error.ts';
import { childPath, indexPath, keyPath } from '../schema/field-path.ts';
import { itemsSchemaOf, type SchemaProps } from './definition.ts';

/**
 * Reports members and items that a condition (allOf, anyOf, oneOf, not) mentions but the schema does not define outside
 * of the condition.
 */
export function completenessErrors(schema: SchemaProps, path: string): FieldError[] {
  return conditionsComplete(schema, schema, path, path);
}

function conditionsComplete(
  condition: SchemaProps,
  schema: SchemaProps,
  path: string,
  conditionPath: string,
): FieldError[] {
  const errors =
    condition.not === undefined ? [] : nestedComplete(condition.not, schema, path, childPath(conditionPath, 'not'));
  for (const word of ['allOf', 'anyOf', 'oneOf'] as const) {
    (condition[word] ?? []).forEach((part, index) => {
      errors.push(...nestedComplete(part, schema, path, indexPath(childPath(conditionPath, word), index)));
    });
  }
  return errors;
}

function nestedComplete(
  condition: SchemaProps,
  schema: SchemaProps | undefined,
  path: string,
  conditionPath: string,
): FieldError[] {
  if (schema === undefined) return [required(path, `because it is defined in ${conditionPath}`)];
  const errors = conditionsComplete(condition, schema, path, conditionPath);
  const items = itemsSchemaOf(condition);
  if (items !== undefined) {
    errors.push(
      ...nestedComplete(items, itemsSchemaOf(schema), childPath(path, 'items'), childPath(conditionPath, 'items')),
    );
  }
  const { properties = {} } = schema;
  for (const [name, member] of Object.entries(condition.properties ?? {})) {
    const at = (parent: string) => keyPath(childPath(parent, 'properties'), name);
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
    errors.push(...nestedComplete(member, own, at(path), at(conditionPath)));
  }
  return errors;
}
