import { type JsonValue, textAt } from '@flotilla/json';
import { column } from '../../../api/columns.ts';
import type { KubeObject } from '../../../api/meta.ts';
import type { Column } from '../../../api/resource.ts';

/** Returns a column whose type in the header of the table is `integer`. Kubernetes declares most columns as strings. */
export function integerColumn(
  name: string,
  source: string | ((object: KubeObject) => JsonValue | undefined),
  description: string,
): Column {
  return { ...column(name, source, { type: 'integer', description }), announcedType: 'integer' };
}

/**
 * Returns the name column of a class. The column marks a class as the default if the class has one of these
 * annotations.
 */
export function classNameColumn(defaultAnnotations: readonly string[]): Column {
  const nameOf = (object: KubeObject) => {
    const isDefault = defaultAnnotations.some((name) => object.metadata.annotations?.[name] === 'true');
    return `${object.metadata.name ?? ''}${isDefault ? ' (default)' : ''}`;
  };
  return { ...column('Name', nameOf, { description: 'The name of the object.' }), format: 'name' };
}

/** Returns a column with a text; `absent` if the field is empty. */
export function textColumn(name: string, path: string, options: { description: string; absent: string }): Column {
  const steps = path.split('.');
  return column(name, (object) => textAt(object as JsonValue, ...steps) || options.absent, {
    description: options.description,
    path,
  });
}

/** The maximum number of elements that `listedText` shows. */
export const maxListed = 3;

/**
 * Returns the first elements of a list as text, and the number of the remaining elements. `texts` contains at least the
 * elements to show. `total` is the number of all elements.
 */
export function listedText(texts: readonly string[], total: number, absent: string): string {
  const listed = texts.slice(0, maxListed).join(',');
  return total > maxListed ? `${listed} + ${total - maxListed} more...` : listed || absent;
}
