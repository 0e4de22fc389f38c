import { isJsonObject, type JsonObject } from '@flotilla/json';
import { formatQuantity, parseQuantity, type Quantity, QuantityError } from '@flotilla/kubernetes-formats';

const milli = 1_000_000n;

/** Rounds the quantities in members of `object` up to thousandths, the precision that Kubernetes stores. */
export function roundResourceLists(object: JsonObject, ...members: readonly string[]): void {
  for (const member of members) {
    const list = object[member];
    if (!isJsonObject(list)) continue;
    for (const [name, text] of Object.entries(list)) {
      const quantity = typeof text === 'string' ? readQuantity(text) : undefined;
      if (quantity === undefined || quantity.billionths % milli === 0n) continue;
      const away = quantity.billionths > 0n ? milli : -milli;
      const billionths = quantity.billionths - (quantity.billionths % milli) + away;
      list[name] = formatQuantity({ ...quantity, billionths });
    }
  }
}

/** Returns a quantity; `undefined` if the text is not a quantity. Validation reports such a text. */
export function readQuantity(text: string): Quantity | undefined {
  try {
    return parseQuantity(text);
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}
