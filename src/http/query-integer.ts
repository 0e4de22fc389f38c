import { badRequest } from '../api/status.ts';

const largest = 2n ** 63n - 1n;

/** An integer of the query, 0 where it is absent; a 400 in Go's words for what is none, the empty text too (rule REQ-22). */
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
  // Beyond what a number holds exactly nothing differs: all of it is for ever.
  return Number(value);
}
