import { area } from '../../area.ts';
import { apiVersion } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';

const literals = [
  '9223372036854775807',
  '-9223372036854775808',
  '9223372036854775808',
  '9007199254740993',
  '1.0',
  '1e3',
  '1.5',
  '-0',
  '0.1',
  '1e-7',
  '1e21',
  '123456789012345678901234567890',
  '1E5',
  '100000000000000000000.5',
  '1e400',
  '0.30000000000000004',
  '1.7976931348623157e308',
  '-0.0',
  '01',
  '.5',
  '1.',
  '+1',
  '1e5',
  '100000',
  '3.0e0',
  '1234567.125',
  '0.000001',
  '0.0000001',
];

/** Compares every notation of a number, in fields of every numeric type. */
export function numbers(pair: Pair): void {
  area(pair, 'Numbers', (compared, gadgets) => {
    for (const field of ['big', 'real', 'raw', 'ios', 'small', 'any', 'color']) {
      compared(`are accepted, stored and written alike in spec.${field} (DEC-07)`, async () => {
        for (const [at, literal] of literals.entries()) {
          const value = field === 'raw' ? `{"x":${literal}}` : literal;
          const metadata = `"metadata":{"name":"${field}-${at}"}`;
          const text = `{"apiVersion":"${apiVersion}","kind":"Gadget",${metadata},"spec":{"${field}":${value}}}`;
          const [theirs] = await gadgets.postText(text, 'application/json');
          if (theirs.status === 201) await gadgets.get(`/${field}-${at}`);
        }
      });
    }
  });
}
