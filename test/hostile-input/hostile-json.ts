import type { SeededRandom } from '../bad-days/seeded-random.ts';

/** A generator of JSON text of about the given number of bytes. */
export type JsonGenerator = (random: SeededRandom, bytes: number) => string;

const scalars = ['1', 'true', 'null', '"x"', '1e300', '-0', '9007199254740993', '"\\u00e9"', '""', '{}', '[]'];

function repeat(bytes: number, part: (index: number) => string): string[] {
  const parts: string[] = [];
  for (let length = 0; length < bytes; ) {
    const next = part(parts.length);
    length += next.length + 1;
    parts.push(next);
  }
  return parts;
}

/** Names that sort, hash or print in special ways, besides ordinary ones. */
export function hostileName(random: SeededRandom, index: number): string {
  return random.pick([
    `key-${index}`,
    `${index}`,
    `k${index}.example.com/a`,
    `\ud83d\ude00${index}`,
    `\uffee${index}`,
    `__proto__${index}`,
    `${'a'.repeat(40)}${index}`,
    `<&>${index}`,
  ]);
}

const manyMembers: JsonGenerator = (random, bytes) => {
  const value = random.pick(scalars);
  const kind = random.below(8);
  return `{${repeat(bytes, (index) => `${JSON.stringify(kind === 0 ? hostileName(random, index) : `k${index}`)}:${value}`).join(',')}}`;
};

const manyItems: JsonGenerator = (random, bytes) => {
  const value = random.pick(scalars);
  return `[${repeat(bytes, () => value).join(',')}]`;
};

const sameName: JsonGenerator = (random, bytes) => {
  const name = random.pick(['a', '__proto__', 'name', 'metadata']);
  return `{${repeat(bytes, () => `"${name}":${random.pick(scalars)}`).join(',')}}`;
};

const longText: JsonGenerator = (random, bytes) => {
  const part = random.pick(['a', '\\n', '\\"', '\\u2028', '\\ud800', '<', ' ', '0', 'a.', '\u00e9', '- ', ': ']);
  return `"${part.repeat(Math.ceil(bytes / part.length))}"`;
};

const deep: JsonGenerator = (random, bytes) => {
  const levels = random.pick([90, 400, 900, 990, 5_000, 9_900]);
  const [open, close] = random.pick([
    ['{"a":', '}'],
    ['[', ']'],
    ['{"a":[', ']}'],
  ] as const);
  const inner = anyJson(random, Math.max(0, bytes - levels * (open.length + close.length)), 1);
  return `${open.repeat(levels)}${inner}${close.repeat(levels)}`;
};

const mixed: JsonGenerator = (random, bytes) => {
  const count = 1 + random.below(20);
  const parts = Array.from({ length: count }, () => anyJson(random, bytes / count, 2));
  return random.below(2) === 0 ? `[${parts.join(',')}]` : `{${parts.map((part, at) => `"m${at}":${part}`).join(',')}}`;
};

const records: JsonGenerator = (random, bytes) => {
  const isUnique = random.below(4) > 0;
  const more = random.pick(['', ',"value":"1"', ',"value":{"a":{"b":1}}', ',"items":[1,2]']);
  return `[${repeat(bytes, (index) => `{"name":"n${isUnique ? index : index % 7}"${more}}`).join(',')}]`;
};

const texts: JsonGenerator = (random, bytes) => {
  const isUnique = random.below(4) > 0;
  const isReversed = random.below(2) === 0;
  const items = repeat(bytes, (index) => `"v${isUnique ? index : index % 7}"`);
  return `[${(isReversed ? items.reverse() : items).join(',')}]`;
};

const flat = [manyMembers, manyItems, sameName, longText, records, texts];

/** Returns JSON of a random hostile form. `level` limits the nesting of forms. */
export function anyJson(random: SeededRandom, bytes: number, level = 0): string {
  const forms = level === 0 ? [...flat, deep, mixed] : level === 1 ? [...flat, mixed] : flat;
  return random.pick(forms)(random, bytes);
}

export const jsonForms = { manyMembers, manyItems, sameName, longText, deep, mixed, records, texts };
