import type { SeededRandom } from '../seeded-random.ts';
import { type BadRequest, dryRunQuery, sending, withQuery } from './bad-request.ts';
import { fieldsOf, withValueAt } from './fields.ts';
import { bodyTargets, type ServedApi } from './served-api.ts';

const family = 'absurd values';
const mark = 'PUT-IT-HERE';

/** JSON text, because JavaScript cannot write some of these numbers. */
const numbers = [
  ...['1e999', '-1e999', '1e-999', '-0', '9007199254740993', '9223372036854775808', '-9223372036854775809'],
  ...['18446744073709551616', '1e15', '2147483648', '-1', '0.1', '1E400', '99999999999999999999999999999999999999'],
  ...['01', '+1', '.5', '1.', '0x10', 'NaN', 'Infinity', '-Infinity', '1_000', '٣', `1${'0'.repeat(5_000)}`],
];

const dates = [
  ...['0000-00-00T00:00:00Z', '99999-01-01T00:00:00Z', '2026-13-45T99:99:99Z', '2026-02-30T00:00:00Z', '-1'],
  ...['2026-01-01', '2026-01-01T00:00:00', '2026-01-01T00:00:00+99:99', '2026-01-01T00:00:60Z', 'yesterday', ''],
  ...['9999-12-31T23:59:59.999999999Z', '10000-01-01T00:00:00Z', `2026-01-01T00:00:00.${'9'.repeat(1_000)}Z`],
].map((date) => JSON.stringify(date));

const texts = [
  ...['""', '"\\u0000"', '"\\ud800"', '"\\udc00\\ud800"', '"\\uFFFF"', '"\\u202e"', '"\\n\\r\\t"', '"\\x"', '"\\u12"'],
  ...['"../../etc/passwd"', '"%s%n%x"', '"#{7*7}"', '"{{ .Values }}"', '"<script>"', '"\'; --"', '"*"', '"-"', '"."'],
  ...[
    `"${'a'.repeat(100_000)}"`,
    `"${'a/'.repeat(300)}"`,
    `"${'é'.repeat(300)}"`,
    '"platform:admins"',
    '"system:masters"',
  ],
];

export function* absurdValues(servedApi: ServedApi, random: SeededRandom): Generator<BadRequest> {
  for (const kind of servedApi.kinds) {
    for (const field of fieldsOf(servedApi, kind.schema)) {
      const values = field.format === 'date-time' ? dates : field.type === 'string' ? texts : numbers;
      if (!['string', 'integer', 'number'].includes(field.type)) continue;
      const { method, path, type, sample } = random.pick(bodyTargets(servedApi, kind));
      const text = JSON.stringify(withValueAt(sample, field.path, mark));
      for (const value of [random.pick(values), random.pick([...numbers, ...dates, ...texts])]) {
        yield sending(
          family,
          method,
          withQuery(path, dryRunQuery),
          text.replace(`"${mark}"`, () => value),
          { type },
        );
      }
    }
  }
}
