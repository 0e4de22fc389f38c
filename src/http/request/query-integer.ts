import { badRequest } from '../../api/status.ts';

const largest = 2n ** 63n - 1n;

/** An integer query parameter; 0 if absent. Throws 400 with Go's message if it is invalid or empty (rule REQ-22). */
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
  // Precision beyond safe integers does not matter: all such values are effectively unlimited.
  return Number(value);
}
