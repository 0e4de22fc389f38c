import type { TypedObject } from '../../../src/api/meta.ts';
import type { ListColumn } from '../rows/list-columns.ts';

/** An object of a kind whose spec has a display name. */
export type ObjectWithDisplayName = TypedObject<{ spec?: { displayName?: string } }>;

/** Returns the display name of an object, or its name if it has none. */
export function displayNameOf({ metadata, spec }: ObjectWithDisplayName): string {
  return spec?.displayName || (metadata.name ?? '');
}

/** A list column with the display name, for rows that contain whole objects. */
export const displayNameColumn: ListColumn<ObjectWithDisplayName> = {
  name: 'Display Name',
  about: 'The name that the console shows.',
  isWide: false,
  text: ({ object }) => object.spec?.displayName ?? '',
};
