import { goTypeOf, printGo, printGoSource } from '@flotilla/go-text';
import { isJsonObject, type JsonObject, type JsonValue, sortByBytes } from '@flotilla/json';
import { fieldElement, indexElement, type PathElement, printElement, printPath } from '../field-set/path-element.ts';
import type { ListShape, MapShape, ScalarType, Shape } from './shape.ts';
import { itemElement, shapePartFor, UnkeyedItemError } from './typed.ts';

/**
 * Returns the reasons why a value does not fit its shape, worded as in kube-apiserver (rules SSA-05, SSA-06). The list
 * is empty if the value fits. The messages quote the invalid value; for confidential kinds they contain only its type.
 * The check stops when the messages are very long.
 */
export function typedProblems(shape: Shape, value: JsonValue, options: { confidential?: boolean } = {}): string[] {
  const checker = new Checker(options.confidential === true ? typesOnly : fullValues);
  checker.check(shape, value, undefined);
  return checker.problems;
}

/** Formats values for messages. For confidential kinds, the text is only the type of the value. */
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

/**
 * The maximum total length of all problems. Each problem contains its path, and many problems can have the same long
 * parent path. Without a limit the messages could be thousands of times as long as the object.
 */
const maxCharacters = 1_000_000;

/** The path of a value as a linked list. It is printed only if there is a problem. */
interface Position {
  readonly parent: Position | undefined;
  readonly element: PathElement;
}

function printPosition(position: Position | undefined): string {
  const path: PathElement[] = [];
  for (let at = position; at !== undefined; at = at.parent) path.push(at.element);
  return printPath(path.reverse());
}

/** Checks a value recursively and collects the problems. */
class Checker {
  readonly problems: string[] = [];
  readonly #format: ValueFormat;
  #characters = 0;

  constructor(format: ValueFormat) {
    this.#format = format;
  }

  get #isFull(): boolean {
    return this.#characters > maxCharacters;
  }

  #add(position: Position | undefined, message: string): void {
    const path = printPosition(position);
    const text = path === '' ? message : `${path}: ${message}`;
    this.problems.push(text);
    this.#characters += text.length;
    if (this.#isFull)
      this.problems.push(`other problems are omitted, because the list exceeds ${maxCharacters} characters`);
  }

  check(shape: Shape, value: JsonValue, position: Position | undefined): void {
    if (value === null || shape.acceptsAny === true || this.#isFull) return;
    switch (shapePartFor(shape, value)) {
      case 'map':
        if (isJsonObject(value) && shape.map !== undefined) this.#checkMembers(shape.map, value, position);
        else this.#add(position, `expected map, got ${this.#format.value(value)}`);
        break;
      case 'list':
        if (Array.isArray(value) && shape.list !== undefined) this.#checkItems(shape.list, value, position);
        else this.#add(position, `expected list, got ${this.#format.value(value)}`);
        break;
      case 'scalar': {
        const problem = scalarProblem(shape.scalar ?? 'untyped', value, this.#format);
        if (problem !== undefined) this.#add(position, problem);
      }
    }
  }

  #checkMembers(map: MapShape, value: JsonObject, parent: Position | undefined): void {
    for (const name of sortByBytes(Object.keys(value))) {
      if (this.#isFull) return;
      const position = { parent, element: fieldElement(name) };
      const shape = map.fields.get(name) ?? map.rest;
      if (shape === undefined) this.#add(position, 'field not declared in schema');
      else this.check(shape, value[name] as JsonValue, position);
    }
  }

  #checkItems(list: ListShape, items: readonly JsonValue[], parent: Position | undefined): void {
    const seen = new Set<string>();
    for (const [index, item] of items.entries()) {
      if (this.#isFull) return;
      let element = indexElement(index);
      if (!list.atomic) {
        try {
          element = itemElement(list, item);
        } catch (error) {
          if (!(error instanceof UnkeyedItemError)) throw error;
          // Stop checking this list, because this item cannot be identified.
          this.#add(parent, `element ${index}: ${error.message}`);
          return;
        }
        if (seen.has(element.text)) this.#add(parent, `duplicate entries for key ${printElement(element)}`);
        seen.add(element.text);
      }
      this.check(list.item, item, { parent, element });
    }
  }
}

function scalarProblem(type: ScalarType, value: JsonValue, format: ValueFormat): string | undefined {
  const numeric = typeof value === 'number' || typeof value === 'bigint';
  switch (type) {
    case 'numeric':
      return numeric ? undefined : `expected numeric (int or float), got ${goTypeOf(value)}`;
    case 'string':
      return typeof value === 'string' ? undefined : `expected string, got ${format.source(value)}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got ${format.value(value)}`;
    case 'untyped':
      return typeof value === 'object' ? `expected any scalar, got ${format.value(value)}` : undefined;
  }
}
