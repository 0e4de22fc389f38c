import { writeJson } from '@flotilla/json';
import type { MergeValue } from './merge/three-way-merge.ts';

const longest = 60;

/** Returns a value as one line of JSON. Long values are shortened. */
export function valueText(value: MergeValue): string {
  if (value === undefined) return 'nothing';
  const text = writeJson(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
