import type { KubeObject } from '../../src/api/meta.ts';
import { textAt } from '../../src/lib/json-path.ts';
import type { ListColumn } from './list-columns.ts';

/** Returns the display name of an object, or its name if it has none. */
export function displayNameOf(object: KubeObject): string {
  return textAt(object, 'spec', 'displayName') || (object.metadata.name ?? '');
}

/** A column for rows with objects, shown right after the name. */
export const displayNameColumn: ListColumn = {
  name: 'Display Name',
  about: 'Name to show to people.',
  isWide: false,
  text: ({ object }) => textAt(object, 'spec', 'displayName'),
};
