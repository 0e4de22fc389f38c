/** Nanoseconds per unit, by Go's unit names. Unicode has two micro signs, and Go accepts both. */
const units: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};

const longestNanoseconds = 2 ** 63 - 1;

/**
 * Parses a Go duration, such as `1h15m30.5s`, `-5ms` or `0`. Returns milliseconds. Throws an Error with the message of
 * Go's parser, which starts with `time:`.
 */
export function parseGoDuration(text: string): number {
  const fail = (what: string) => new Error(`time: ${what} ${JSON.stringify(text)}`);
  const sign = /^[+-]/.test(text) ? text[0] : '';
  let rest = sign === '' ? text : text.slice(1);
  if (rest === '0') return 0;
  if (rest === '') throw fail('invalid duration');
  let nanoseconds = 0;
  while (rest !== '') {
    const number = /^(\d+(?:\.\d*)?|\.\d+)/.exec(rest)?.[0];
    if (number === undefined) throw fail('invalid duration');
    rest = rest.slice(number.length);
    const unit = /^[^.\d]+/.exec(rest)?.[0];
    if (unit === undefined) throw fail('missing unit in duration');
    const size = Object.hasOwn(units, unit) ? units[unit] : undefined;
    if (size === undefined)
      throw new Error(`time: unknown unit ${JSON.stringify(unit)} in duration ${JSON.stringify(text)}`);
    nanoseconds += Number(number) * size;
    if (nanoseconds > longestNanoseconds) throw fail('invalid duration');
    rest = rest.slice(unit.length);
  }
  return (sign === '-' ? -nanoseconds : nanoseconds) / 1e6;
}
