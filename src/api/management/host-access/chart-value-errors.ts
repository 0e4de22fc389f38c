import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { DocumentError } from '../../decode/document-error.ts';
import { readYaml } from '../../decode/yaml-document.ts';
import { type FieldError, forbiddenField, invalid } from '../../field-error.ts';

/**
 * The maximum length of chart values from an author without the permission `hostaccess`. The length is limited because
 * chart values are parsed on the main thread.
 */
const maxValuesLength = 64 * 1024;
/** The maximum number of values that are reported. */
const maxReported = 10;
const maxPathLength = 200;

/** The allowed paths as a tree. A node without children allows everything below it. */
interface AllowedNode {
  readonly children: Map<string, AllowedNode>;
  isComplete: boolean;
}

export interface CheckedValues {
  readonly values: JsonObject;
  readonly errors: readonly FieldError[];
}

/**
 * Reads chart values and checks that each is at an allowed path. Returns the parsed values. Pass these to helm instead
 * of the text, because another YAML parser could read the text differently.
 */
export function checkChartValues(text: string, field: string, allowedPaths: readonly string[]): CheckedValues {
  const lengthError = chartValuesLengthError(text, field);
  if (lengthError !== undefined) return { values: {}, errors: [lengthError] };
  let value: JsonValue;
  try {
    value = readYaml(text).value;
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    return { values: {}, errors: [invalid(field, '', `must be YAML: ${error.message}`)] };
  }
  if (value === null) return { values: {}, errors: [] };
  if (!isJsonObject(value)) return { values: {}, errors: [invalid(field, '', 'must be a YAML map')] };
  const check = new ValueCheck(field, allowedPaths);
  check.member(value, [treeOf(allowedPaths)], '');
  return { values: value, errors: check.errors };
}

export function chartValuesLengthError(text: string, field: string): FieldError | undefined {
  if (text.length <= maxValuesLength) return undefined;
  return forbiddenField(field, `must be at most ${maxValuesLength} characters long without the permission hostaccess`);
}

class ValueCheck {
  readonly errors: FieldError[] = [];
  readonly #field: string;
  readonly #allowedPaths: readonly string[];

  constructor(field: string, allowedPaths: readonly string[]) {
    this.#field = field;
    this.#allowedPaths = allowedPaths;
  }

  /** Checks a value. `nodes` are the nodes of the tree of allowed paths that match the path of the value. */
  member(value: JsonValue, nodes: readonly AllowedNode[], path: string): void {
    if (this.errors.length >= maxReported) return;
    if (nodes.some(({ isComplete }) => isComplete)) {
      this.#texts(value, path);
      return;
    }
    if (!isJsonObject(value)) {
      const allowed = `; allowed without it: ${this.#allowedPaths.join(', ') || 'none'}`;
      const detail = `the chart value ${shortened(path)} requires the permission hostaccess`;
      this.errors.push(forbiddenField(this.#field, this.errors.length === 0 ? `${detail}${allowed}` : detail));
      return;
    }
    for (const [name, member] of Object.entries(value)) {
      const next = nodes.flatMap(({ children }) => [children.get(name) ?? [], children.get('*') ?? []].flat());
      this.member(member, next, path === '' ? name : `${path}.${name}`);
    }
  }

  /**
   * Rejects strings with control characters, line breaks or template syntax, because they could change the manifest
   * into which the chart inserts them.
   */
  #texts(value: JsonValue, path: string): void {
    if (this.errors.length >= maxReported) return;
    if (typeof value === 'string') {
      if (unsafeText.test(value)) this.errors.push(this.#unsafe(path));
    } else if (Array.isArray(value)) {
      for (const item of value) this.#texts(item, path);
    } else if (isJsonObject(value)) {
      for (const [name, member] of Object.entries(value)) {
        if (unsafeText.test(name)) this.errors.push(this.#unsafe(path));
        else this.#texts(member, `${path}.${name}`);
      }
    }
  }

  #unsafe(path: string): FieldError {
    const detail = `the chart value ${shortened(path)} must not contain line breaks, control characters or "{{"`;
    return forbiddenField(this.#field, detail);
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression detects control characters.
const unsafeText = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]|\{\{/;

function shortened(path: string): string {
  const shown = JSON.stringify(path.length > maxPathLength ? `${path.slice(0, maxPathLength)}…` : path).slice(1, -1);
  return shown === '' ? '""' : shown;
}

function treeOf(paths: readonly string[]): AllowedNode {
  const root: AllowedNode = { children: new Map(), isComplete: false };
  for (const path of paths) {
    let node = root;
    for (const step of path.split('.')) {
      const child = node.children.get(step) ?? { children: new Map(), isComplete: false };
      node.children.set(step, child);
      node = child;
    }
    node.isComplete = true;
  }
  return root;
}
