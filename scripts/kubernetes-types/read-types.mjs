/**
 * Reads the Go types of a package from its source. The sources of Kubernetes are formatted by gofmt, with one field per
 * line, so lines can be matched one by one.
 */
export function readTypes(source) {
  const imports = new Map();
  const types = new Map();
  const constants = new Map();
  let markers = [];
  let struct;
  for (const line of source.split('\n')) {
    const marker = /^\s*\/\/ ?\+(\S.*?)\s*$/.exec(line);
    if (marker !== null) {
      markers.push(marker[1]);
      continue;
    }
    if (/^\s*\/\//.test(line)) continue;
    if (struct !== undefined) {
      if (line === '}') struct = undefined;
      else {
        const field = fieldOf(line, markers);
        if (field !== undefined) struct.fields.push(field);
        if (/^\t(?:\w+\.)?TypeMeta\s/.test(line)) struct.isTyped = true;
      }
      // Discard the markers only if the line is not blank: a blank line inside a struct does not separate markers from
      // their field.
      if (line.trim() !== '') markers = [];
      continue;
    }
    const imported = /^(?:\t|import )(?:(\w+) )?"([^"]+)"$/.exec(line);
    if (imported !== null) imports.set(imported[1] ?? imported[2].split('/').at(-1), imported[2]);
    const opened = /^type (\w+) struct \{$/.exec(line);
    if (opened !== null) {
      struct = { fields: [], isTyped: false, isAtomic: markers.includes('structType=atomic') };
      types.set(opened[1], struct);
    }
    const constant = /^\t(\w+)\s+\w+\s*=\s*("[^"]*")/.exec(line);
    if (constant !== null) constants.set(constant[1], constant[2]);
    const named = /^type (\w+) (?:= )?([^\s{]+)$/.exec(line);
    if (named !== null) types.set(named[1], { same: named[2] });
    if (line.trim() !== '') markers = [];
  }
  return { imports, types, constants };
}

function fieldOf(line, markers) {
  const named = /^\t(\w+)\s+(\S+)\s+`([^`]*)`/.exec(line);
  const embedded = /^\t([\w.]+)\s+`([^`]*)`/.exec(line);
  if (named === null && embedded === null) return undefined;
  const type = named?.[2] ?? embedded[1];
  const tags = Object.fromEntries(
    [...(named?.[3] ?? embedded[2]).matchAll(/(\w+):"([^"]*)"/g)].map(([, a, b]) => [a, b]),
  );
  const [name = '', ...options] = (tags.json ?? '').split(',');
  if (tags.json === undefined || name === '-' || type.endsWith('TypeMeta')) return undefined;
  const isOmitted = options.includes('omitempty') || options.includes('omitzero');
  const markerValues = (key) =>
    markers.filter((marker) => marker.startsWith(`${key}=`)).map((marker) => marker.slice(key.length + 1));
  return {
    name: options.includes('inline') ? '' : name,
    type,
    number: Number((tags.protobuf ?? '').split(',')[1]),
    isOmitted,
    isOptional: !markers.includes('required') && (isOmitted || markers.includes('optional')),
    listType: markerValues('listType')[0],
    mapKeys: markerValues('listMapKey'),
    mapType: markerValues('structType')[0] ?? markerValues('mapType')[0],
    patchStrategy: tags.patchStrategy,
    patchMergeKey: tags.patchMergeKey,
    default: markerValues('default')[0],
  };
}
