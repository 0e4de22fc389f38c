/** Go types that the table treats as scalars, by package path and name. */
const scalars = new Map([
  ['k8s.io/apimachinery/pkg/apis/meta/v1.Time', 'time'],
  ['k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime', 'microTime'],
  ['k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1', 'fieldsV1'],
  ['k8s.io/apimachinery/pkg/api/resource.Quantity', 'quantity'],
  ['k8s.io/apimachinery/pkg/util/intstr.IntOrString', 'intOrString'],
  ['k8s.io/apimachinery/pkg/runtime.RawExtension', 'rawExtension'],
  ['k8s.io/apimachinery/pkg/types.UID', 'string'],
]);

const basic = new Set(['string', 'bool', 'int32', 'int64', 'float64']);

/**
 * Resolves the type of a field to a shape (pointer, list or map) and a scalar or a struct. `packages` maps paths to
 * parsed packages. A named type that is not a struct is replaced by its underlying type.
 */
export function resolveType(packages, path, type) {
  if (type.startsWith('*')) return { ...resolveType(packages, path, type.slice(1)), shape: '*' };
  if (type === '[]byte') return { shape: '', type: 'bytes' };
  if (type.startsWith('[]')) return { ...resolveType(packages, path, type.slice(2)), shape: '[]' };
  const map = /^map\[[^\]]+\](.+)$/.exec(type);
  if (map !== null) {
    const value = resolveType(packages, path, map[1]);
    return { shape: '{}', type: value.shape === '[]' ? 'strings' : value.type };
  }
  if (basic.has(type)) return { shape: '', type: type === 'float64' ? 'double' : type };
  const [name, alias] = type.split('.').reverse();
  const parsed = packages.get(path);
  const home = alias === undefined ? path : parsed.imports.get(alias);
  const scalar = scalars.get(`${home}.${name}`);
  if (scalar !== undefined) return { shape: '', type: scalar };
  const found = packages.get(home)?.types.get(name);
  if (found === undefined) throw new Error(`${path} uses ${type}, which is in no package that was read`);
  return found.same === undefined ? { shape: '', type: { path: home, name } } : resolveType(packages, home, found.same);
}

/** The members that contain the kind and apiVersion of an object. Protobuf does not encode them. */
const typeMembers = ['kind', 'apiVersion'].map((name) => ({
  name,
  number: 0,
  shape: '',
  type: 'string',
  isOmitted: true,
  isOptional: true,
  mapKeys: [],
}));

/** Returns the given structs and all structs that they use, by package path. */
export function closureOf(packages, roots) {
  const found = new Map();
  const visit = ({ path, name }) => {
    const names = found.get(path) ?? new Map();
    found.set(path, names);
    if (names.has(name)) return;
    const struct = packages.get(path)?.types.get(name);
    if (struct?.fields === undefined) throw new Error(`${path} has no struct ${name}`);
    const { constants } = packages.get(path);
    const fields = struct.fields.map((field) => ({
      ...field,
      ...resolveType(packages, path, field.type),
      default: field.default?.replace(/^ref\((\w+)\)$/, (_, constant) => constants.get(constant)),
    }));
    names.set(name, { ...struct, fields });
    for (const { type } of fields) {
      if (typeof type !== 'object') continue;
      visit(type);
      // A complete object that is nested in another one can contain its own kind and apiVersion.
      const inner = found.get(type.path).get(type.name);
      if (packages.get(type.path).types.get(type.name).isTyped && inner.fields[0] !== typeMembers[0]) {
        inner.fields.unshift(...typeMembers);
      }
    }
  };
  for (const root of roots) visit(root);
  return found;
}
