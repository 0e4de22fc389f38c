import type { SchemaProps } from './definition.ts';

export type ResolvedSchemaField =
  | { readonly path: string; readonly root: string; readonly schema: SchemaProps | undefined }
  | { readonly fault: string };

/** Matches one token of a path: a dot, a bracket, a string in single quotes, or any other text. */
const tokens = /'[^'\\]*(?:\\.[^'\\]*)*'|[.[\]]|[^.[\]']+|'/g;

/**
 * Resolves a path such as `.spec.host` to the schema of the field. If `brackets` is true, `['name']` is allowed for
 * members.
 */
export function resolveSchemaField(jsonPath: string, root: SchemaProps, brackets: boolean): ResolvedSchemaField {
  // Read the tokens one by one. The search for the end of an unclosed quote reads the rest of the path, but the first
  // unclosed quote already makes the path invalid, so only one such search is needed.
  const parts = jsonPath.matchAll(tokens);
  const nextToken = (): string | undefined => parts.next().value?.[0];
  let schema: SchemaProps | undefined = root;
  let path = '';
  let first = '';
  const enter = (name: string): string | undefined => {
    if (first === '') first = name;
    if (schema?.properties !== undefined) {
      path = path === '' ? name : `${path}.${name}`;
      if (!Object.hasOwn(schema.properties, name)) return 'does not refer to a valid field';
      schema = schema.properties[name];
    } else if (schema?.additionalProperties !== undefined) {
      path = `${path}[${name}]`;
      schema = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
    } else {
      return 'does not refer to a valid field';
    }
    return undefined;
  };
  for (let token = nextToken(); token !== undefined; token = nextToken()) {
    if (token === '[' && !brackets) return { fault: 'array notation is not allowed' };
    if (token !== '[' && token !== '.') return { fault: `expected [ or . but got: ${token}` };
    const name = nextToken();
    if (name === undefined) return { fault: 'unexpected end of JSON path' };
    if (token === '.') {
      const fault = enter(name);
      if (fault !== undefined) return { fault };
      continue;
    }
    if (!/^'.*'$/.test(name) || name.length < 2) return { fault: `expected single quoted string but got ${name}` };
    const fault = enter(name.slice(1, -1).replace(/\\(['\\])/g, '$1'));
    if (fault !== undefined) return { fault };
    const end = nextToken();
    if (end === undefined) return { fault: 'unexpected end of JSON path' };
    if (end !== ']') return { fault: `expected ] but got ${end}` };
  }
  return { path, root: first, schema };
}
