import { badRequest } from '../../api/status.ts';

const largest = 2n ** 63n - 1n;

/** Returns an integer query parameter; 0 if it is absent. Throws 400 with Go's message if it is invalid (REQ-22). */
export function queryInteger(query: URLSearchParams, name: string): number {
  return optionalQueryInteger(query, name) ?? 0;
}

export function optionalQueryInteger(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const fail = (why: string) => badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}`);
  if (!/^[+-]?\d+$/.test(text)) throw fail('invalid syntax');
  const value = BigInt(text.replace(/^\+/, ''));
  if (value > largest || value < -largest - 1n) throw fail('value out of range');
  // Numbers above 2^53 lose precision. That does no harm, because any limit or timeout that large means unlimited.
  return Number(value);
}
