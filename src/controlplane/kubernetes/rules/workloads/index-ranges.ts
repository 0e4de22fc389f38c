import { goQuote } from '@flotilla/go-text';

type Range = readonly [first: number, last: number];
type Parsed<T> = { readonly value: T } | { readonly fault: string };

const maxInteger = 2 ** 53;

/** Parses one index or a range of indexes of a job, such as `1` or `3-5`. */
function parseRange(text: string, completions: number): Parsed<Range> {
  const limits = text.split('-');
  if (limits.length > 2) {
    return {
      fault: `the fragment ${goQuote(text)} violates the requirement that an index interval can have at most two parts separated by '-'`,
    };
  }
  const numbers: number[] = [];
  for (const limit of limits) {
    const number = /^\+?[0-9]+$/.test(limit) ? Number(limit) : Number.NaN;
    if (!(number < maxInteger)) return { fault: `cannot convert string to integer for index: ${goQuote(limit)}` };
    if (number >= completions) return { fault: `too large index: ${goQuote(limit)}` };
    numbers.push(number);
  }
  const [first = 0, last = first] = numbers;
  if (numbers.length > 1 && first >= last) return { fault: notIncreasing(first, last) };
  return { value: [first, last] };
}

function notIncreasing(previous: number, current: number): string {
  return `non-increasing order, previous: ${previous}, current: ${current}`;
}

/** Returns the number of indexes in a list such as `1,3-5`, or the reason why it is invalid. */
export function countIndexes(text: string, completions: number): Parsed<number> {
  let total = 0;
  let previous: number | undefined;
  for (const part of text === '' ? [] : text.split(',')) {
    const range = parseRange(part, completions);
    if ('fault' in range) return range;
    const [first, last] = range.value;
    if (previous !== undefined && previous >= first) return { fault: notIncreasing(previous, first) };
    total += last - first + 1;
    previous = last;
  }
  return { value: total };
}

/** Returns the first index that is in both lists; `undefined` if there is none. Invalid parts are skipped. */
export function sharedIndex(one: string, other: string, completions: number): number | undefined {
  const [left, right] = [rangesOf(one, completions), rangesOf(other, completions)];
  for (let at = 0, from = 0; at < left.length && from < right.length; ) {
    const [a = [0, 0], b = [0, 0]] = [left[at], right[from]];
    if (a[0] <= b[1] && b[0] <= a[1]) return Math.max(a[0], b[0]);
    if (a[0] <= b[0]) at++;
    else from++;
  }
  return undefined;
}

function rangesOf(text: string, completions: number): Range[] {
  const parsed = (text === '' ? [] : text.split(',')).map((part) => parseRange(part, completions));
  return parsed.flatMap((range) => ('fault' in range ? [] : [range.value]));
}
