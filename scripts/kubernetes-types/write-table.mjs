/** Returns the TypeScript source with the structs of one package, one per line. */
export function tableSource({ alias, path, module, kinds, structs, aliasOf }) {
  const nameOf = (type) => (type.path === path ? type.name : `${aliasOf(type.path)}.${type.name}`);
  const lines = [...structs]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, struct]) => structLine(name, { ...struct, isKind: kinds.includes(name) }, nameOf));
  return [
    '/**',
    ` * The structs of ${path} that served kinds use.`,
    ` * Made by scripts/kubernetes-types from ${module}; do not edit.`,
    ' */',
    `export const ${alias}Structs = \``,
    ...lines,
    '`;',
    '',
  ].join('\n');
}

/**
 * Returns the text of a struct: its name, `#` if the struct is a kind, `@` if server-side apply treats the struct as a
 * single field, and its fields.
 */
function structLine(name, { fields, isAtomic, isKind }, nameOf) {
  if (fields.filter((field) => field.name === '').length > 1) throw new Error(`${name} embeds more than one struct`);
  const head = `${name}${isKind ? '#' : ''}${isAtomic ? '@' : ''}`;
  return [head, ...fields.map((field) => fieldText(field, nameOf))].join(' ');
}

/**
 * Returns the text of a field: its name, a mark, the protobuf number, the shape and the type, the map type (`@` atomic,
 * `&` granular), and the rules for lists, patches and defaults. The mark is `!` if Go prints the empty field and
 * OpenAPI requires the field, `?` if only Go prints the empty field, `^` if only OpenAPI requires the field.
 */
function fieldText(field, nameOf) {
  const mark = field.isOmitted ? (field.isOptional ? '' : '^') : field.isOptional ? '?' : '!';
  const type = typeof field.type === 'object' ? nameOf(field.type) : field.type;
  const keys = field.mapKeys.length === 0 ? '' : `(${field.mapKeys.join()})`;
  const list = field.listType === undefined ? '' : `~${field.listType}${keys}`;
  const mapType = { atomic: '@', granular: '&' }[field.mapType] ?? '';
  const mergeKey = field.patchMergeKey === undefined ? '' : `(${field.patchMergeKey})`;
  const patch = field.patchStrategy === undefined ? '' : `%${field.patchStrategy}${mergeKey}`;
  const value = field.default === undefined ? '' : `=${field.default}`;
  return `${field.name}${mark}:${field.number}:${field.shape}${type}${mapType}${list}${patch}${value}`;
}
