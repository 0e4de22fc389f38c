import { goTypeOf, printGo, printGoSource } from '@flotilla/go-text';
import { isJsonObject, type JsonObject, type JsonValue, sortByBytes } from '@flotilla/json';
import { fieldElement, printElement } from '../field-set/path-element.ts';
import type { ListShape, MapShape, ScalarType, Shape } from './shape.ts';
import { itemElement, shapePartFor, UnkeyedItemError } from './typed.ts';

/**
 * Returns the reasons why a value does not fit its shape, in the words of kube-apiserver (rules SSA-05, SSA-06). Empty
 * if it fits. The messages quote the invalid value; for confidential kinds they contain only its type.
 */
export function typedProblems(shape: Shape, value: JsonValue, options: { confidential?: boolean } = {}): string[] {
  return check(shape, value, '', options.confidential === true ? typesOnly : fullValues);
}

/** Formats values for messages. For confidential kinds it returns only the type. */
interface ValueFormat {
  value(value: JsonValue): string;
  source(value: JsonValue): string;
}

const fullValues: ValueFormat = {
  value: (value) => `&{${printGo(value)}}`,
  source: (value) => `&value.valueUnstructured{Value:${printGoSource(value)}}`,
};

const typesOnly: ValueFormat = { value: goTypeOf, source: goTypeOf };

/** Joins problems to one message. A single problem is returned unchanged. */
export function describeProblems(problems: readonly string[]): string {
  const [only] = problems;
  return problems.length === 1 && only !== undefined
    ? only
    : ['errors:', ...problems.map((line) => `  ${line}`)].join('\n');
}

function check(shape: Shape, value: JsonValue, path: string, format: ValueFormat): string[] {
  if (value === null || shape.acceptsAny === true) return [];
  switch (shapePartFor(shape, value)) {
    case 'map':
      return isJsonObject(value) && shape.map !== undefined
        ? checkMembers(shape.map, value, path, format)
        : [problem(path, `expected map, got ${format.value(value)}`)];
    case 'list':
      return Array.isArray(value) && shape.list !== undefined
        ? checkItems(shape.list, value, path, format)
        : [problem(path, `expected list, got ${format.value(value)}`)];
    case 'scalar':
      return checkScalar(shape.scalar ?? 'untyped', value, path, format);
  }
}

function problem(path: string, message: string): string {
  return path === '' ? message : `${path}: ${message}`;
}

function checkScalar(type: ScalarType, value: JsonValue, path: string, format: ValueFormat): string[] {
  const numeric = typeof value === 'number' || typeof value === 'bigint';
  switch (type) {
    case 'numeric':
      return numeric ? [] : [problem(path, `expected numeric (int or float), got ${goTypeOf(value)}`)];
    case 'string':
      if (typeof value === 'string') return [];
      return [problem(path, `expected string, got ${format.source(value)}`)];
    case 'boolean':
      return typeof value === 'boolean' ? [] : [problem(path, `expected boolean, got ${format.value(value)}`)];
    case 'untyped':
      return typeof value === 'object' ? [problem(path, `expected any scalar, got ${format.value(value)}`)] : [];
  }
}

function checkMembers(map: MapShape, value: JsonObject, path: string, format: ValueFormat): string[] {
  const problems: string[] = [];
  for (const name of sortByBytes(Object.keys(value))) {
    const memberPath = `${path}${printElement(fieldElement(name))}`;
    const shape = map.fields.get(name) ?? map.rest;
    if (shape === undefined) problems.push(`${memberPath}: field not declared in schema`);
    else problems.push(...check(shape, value[name] as JsonValue, memberPath, format));
  }
  return problems;
}

function checkItems(list: ListShape, items: readonly JsonValue[], path: string, format: ValueFormat): string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    let itemPath = `${path}[${index}]`;
    if (!list.atomic) {
      try {
        const element = itemElement(list, item);
        itemPath = `${path}${printElement(element)}`;
        if (seen.has(element.text)) problems.push(problem(path, `duplicate entries for key ${printElement(element)}`));
        seen.add(element.text);
      } catch (error) {
        if (!(error instanceof UnkeyedItemError)) throw error;
        // This item cannot be identified, so the following items of the list are not checked.
        return [...problems, problem(path, `element ${index}: ${error.message}`)];
      }
    }
    problems.push(...check(list.item, item, itemPath, format));
  }
  return problems;
}
