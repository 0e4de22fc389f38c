import { code, codes } from './markdown.mjs';

/**
 * The minimum number of members of an object that is described once and then referenced. Smaller objects are described
 * every time.
 */
const minMembersToReference = 4;

/**
 * Returns a row for every field of a kind: path, type, rules, meaning. An object that occurs several times in the kind
 * with identical members is described once and referenced afterwards.
 */
export function fieldRows(schema, writeOnly) {
  const shown = new Map();
  const rows = [];

  function members(holder, path) {
    for (const [name, member] of Object.entries(holder.properties ?? {})) {
      field(member, path === '' ? name : `${path}.${name}`, holder.required?.includes(name) === true);
    }
  }

  function field(member, path, required) {
    const { inner, innerPath } = innermost(member, path);
    const below = Object.keys(inner.properties ?? {}).length;
    const shape = JSON.stringify(inner);
    const earlier = below >= minMembersToReference ? shown.get(shape) : undefined;
    const notes = [
      ...(required ? ['required'] : []),
      ...(writeOnly.has(path) ? ['write-only'] : []),
      ...rulesOf(member),
      ...(earlier === undefined ? [] : [`same members as ${code(earlier)}`]),
    ];
    const meaning = [member.description, ...itemMeaning(member)].filter((text) => text !== undefined).join(' ');
    rows.push([code(path), typeOf(member), notes.join('; '), meaning]);
    if (earlier !== undefined) return;
    if (below >= minMembersToReference) shown.set(shape, innerPath);
    members(inner, innerPath);
  }

  members(schema, '');
  return rows;
}

/** Returns the schema and path of the innermost items of nested lists or maps. */
function innermost(schema, path) {
  if (schema.items !== undefined) return innermost(schema.items, `${path}[]`);
  if (typeof schema.additionalProperties === 'object') return innermost(schema.additionalProperties, `${path}.<name>`);
  return { inner: schema, innerPath: path };
}

function itemMeaning({ items }) {
  return items?.description === undefined ? [] : [`Each item: ${items.description}`];
}

export function typeOf(schema) {
  if (schema['x-kubernetes-int-or-string'] === true) return 'integer or string';
  if (schema.items !== undefined) return `list of ${typeOf(schema.items)}`;
  if (typeof schema.additionalProperties === 'object') return `map of ${typeOf(schema.additionalProperties)}`;
  if (schema['x-kubernetes-preserve-unknown-fields'] === true)
    return schema.type === 'object' ? 'any object' : 'any value';
  if (schema.format === 'date-time') return 'time';
  return schema.type ?? 'any value';
}

const limits = [
  ['minLength', (value) => `at least ${value} character${value === 1 ? '' : 's'}`],
  ['maxLength', (value) => `at most ${value} characters`],
  ['minItems', (value) => `at least ${value} item${value === 1 ? '' : 's'}`],
  ['maxItems', (value) => `at most ${value} items`],
  ['minimum', (value) => `${value} or more`],
  ['maximum', (value) => `${value} or less`],
  ['pattern', (value) => `matches ${code(value)}`],
  ['default', (value) => `default ${code(JSON.stringify(value))}`],
  ['x-kubernetes-list-map-keys', (value) => `unique by ${value.join(', ')}`],
];

export function rulesOf(schema) {
  const choices = schema.enum ?? schema.items?.enum;
  return [
    ...(choices === undefined ? [] : [`one of ${codes(choices)}`]),
    ...limits.flatMap(([name, format]) => (schema[name] === undefined ? [] : [format(schema[name])])),
  ];
}
