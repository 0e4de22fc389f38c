import type { JsonObject } from '@flotilla/json';
import { isWholeQuantity } from '@flotilla/kubernetes-formats';
import { keyPath } from '../../../../../api/schema/field-path.ts';
import { readQuantity } from '../../../defaults/resource-lists.ts';
import { textOf } from '../../checks.ts';

/** Warns about amounts that are not whole numbers of bytes. */
export function* fractionWarnings(amounts: JsonObject, path: string, names: readonly string[]): Generator<string> {
  for (const name of names) {
    const text = textOf(amounts[name]);
    const amount = text === '' ? undefined : readQuantity(text);
    if (amount === undefined || isWholeQuantity(amount)) continue;
    yield `${keyPath(path, name)}: fractional byte value "${text}" is invalid, must be an integer`;
  }
}
