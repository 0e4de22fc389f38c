import type { KubeObject } from '../../src/api/meta.ts';
import { textAt } from '../../src/lib/json-path.ts';
import type { ListColumn } from './list-columns.ts';

/** What people call an object; its name where nobody calls it anything. */
export function displayNameOf(object: KubeObject): string {
  return textAt(object, 'spec', 'displayName') || (object.metadata.name ?? '');
}

/** For rows that come with their objects: right after the name. */
export const displayNameColumn: ListColumn = {
  name: 'Display Name',
  about: 'Name to show to people.',
  isWide: false,
  text: ({ object }) => textAt(object, 'spec', 'displayName'),
};
