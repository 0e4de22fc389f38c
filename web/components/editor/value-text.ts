import { writeJson } from '@flotilla/json';
import type { MergeValue } from './merge/three-way-merge.ts';

const longest = 60;

/** A value on one line, shortened. */
export function valueText(value: MergeValue): string {
  if (value === undefined) return 'nothing';
  const text = writeJson(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
