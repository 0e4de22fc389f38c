import type { JsonValue } from '@flotilla/json';

/** One step of a JSONPath. It selects values inside the value that the previous step selected. */
export type PathStep =
  | { readonly kind: 'member'; readonly name: string }
  /** `*` selects all members of an object, or all items of a list. */
  | { readonly kind: 'all' }
  /** `..` selects the value itself and all values nested in it. */
  | { readonly kind: 'below' }
  | {
      readonly kind: 'slice';
      readonly from: number | undefined;
      readonly to: number | undefined;
      readonly by: number;
    }
  | { readonly kind: 'union'; readonly steps: readonly PathStep[] }
  | { readonly kind: 'filter'; readonly filter: PathFilter };

export interface PathFilter {
  readonly left: Operand;
  readonly operator: '==' | '!=' | '<' | '<=' | '>' | '>=' | 'exists';
  readonly right?: Operand;
}

export type Operand =
  | { readonly value: JsonValue }
  /** A path that starts at the object (`$`), or at the item to which the filter is applied (`@`). */
  | { readonly path: ParsedPath; readonly fromRoot: boolean };

export interface ParsedPath {
  readonly steps: readonly PathStep[];
  /** The names of the steps if all steps are member names, as in most paths. */
  readonly names: readonly string[] | undefined;
  /**
   * The indexes of the steps that can be applied to the same value several times: a second `..`, because its values
   * overlap with those of the first, and the step after a union such as `[0,0]`.
   */
  readonly repeated: ReadonlySet<number>;
}

/** The maximum length of a path. No useful path is longer. */
const maxPathLength = 4_096;
/**
 * The maximum depth of nested filters, because the text of a filter is read once per level. Kubernetes does not support
 * nested filters.
 */
const maxFilterDepth = 4;

/** Parses the JSONPath of a printer column. `undefined` if the path is invalid. */
export function parseColumnPath(text: string): ParsedPath | undefined {
  if (text.length > maxPathLength || !text.startsWith('.')) return undefined;
  return parsePath(text, 0);
}

function parsePath(text: string, depth: number): ParsedPath | undefined {
  const steps = parseSteps(text, depth);
  if (steps === undefined) return undefined;
  const names = steps.flatMap((step) => (step.kind === 'member' ? [step.name] : []));
  return { steps, names: names.length === steps.length ? names : undefined, repeated: repeatedSteps(steps) };
}

function repeatedSteps(steps: readonly PathStep[]): Set<number> {
  const repeated = new Set<number>();
  let belows = 0;
  for (const [at, { kind }] of steps.entries()) {
    if (kind === 'below' && ++belows > 1) repeated.add(at);
    if (kind === 'union') repeated.add(at + 1);
  }
  return repeated;
}

function parseSteps(text: string, depth: number): PathStep[] | undefined {
  const steps: PathStep[] = [];
  let at = 0;
  while (at < text.length) {
    if (text.startsWith('..', at)) {
      steps.push({ kind: 'below' });
      at += 2;
      if (text[at] === '.' || text[at] === undefined) return undefined;
      if (text[at] === '[') continue;
      at = readMember(text, at, steps);
    } else if (text[at] === '.') {
      at += 1;
      // A trailing `.` selects the object itself, and `.[0]` is equal to `[0]`.
      if (at === text.length || text[at] === '[') continue;
      at = readMember(text, at, steps);
    } else if (text[at] === '[') {
      const end = closingBracket(text, at);
      const step = end === -1 ? undefined : bracketStep(text.slice(at + 1, end).trim(), depth);
      if (step === undefined) return undefined;
      steps.push(step);
      at = end + 1;
    } else {
      return undefined;
    }
  }
  return steps;
}

/** Reads a member name. A backslash escapes the next character: `.metadata.labels.app\.example\.com/name`. */
function readMember(text: string, from: number, steps: PathStep[]): number {
  let name = '';
  let at = from;
  for (; at < text.length && text[at] !== '.' && text[at] !== '['; at++) {
    if (text[at] === '\\' && at + 1 < text.length) at++;
    name += text[at];
  }
  steps.push(name === '*' ? { kind: 'all' } : { kind: 'member', name });
  return at;
}

function closingBracket(text: string, from: number): number {
  let depth = 0;
  let quote = '';
  for (let at = from; at < text.length; at++) {
    const character = text[at] ?? '';
    if (quote !== '') {
      if (character === '\\') at++;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'") {
      quote = character;
    } else if (character === '[') {
      depth++;
    } else if (character === ']' && --depth === 0) {
      return at;
    }
  }
  return -1;
}

function bracketStep(inside: string, depth: number): PathStep | undefined {
  const filter = /^\?\((.*)\)$/s.exec(inside);
  if (filter !== null) {
    const parsed = depth === maxFilterDepth ? undefined : parseFilter((filter[1] ?? '').trim(), depth + 1);
    return parsed && { kind: 'filter', filter: parsed };
  }
  const parts = splitOutside(inside, ',');
  if (parts.length === 1) return singleStep(parts[0] ?? '');
  const steps = parts.map(singleStep);
  return steps.every((step) => step !== undefined) ? { kind: 'union', steps } : undefined;
}

function singleStep(part: string): PathStep | undefined {
  const text = part.trim();
  if (text === '*') return { kind: 'all' };
  const quoted = unquoted(text);
  if (quoted !== undefined) return { kind: 'member', name: quoted };
  if (/^-?\d+$/.test(text)) {
    const index = Number(text);
    return { kind: 'slice', from: index, to: index === -1 ? undefined : index + 1, by: 1 };
  }
  const range = /^(-?\d*):(-?\d*)(?::(\d*))?$/.exec(text);
  if (range === null) return undefined;
  const bound = (digits: string | undefined) => (digits === undefined || digits === '' ? undefined : Number(digits));
  return { kind: 'slice', from: bound(range[1]), to: bound(range[2]), by: Math.max(bound(range[3]) ?? 1, 1) };
}

function parseFilter(text: string, depth: number): PathFilter | undefined {
  const sign = findOperator(text);
  if (sign === undefined) {
    const left = parseOperand(text, depth);
    return left && { left, operator: 'exists' };
  }
  const left = parseOperand(text.slice(0, sign.at).trim(), depth);
  const right = parseOperand(text.slice(sign.at + sign.operator.length).trim(), depth);
  return left && right && { left, operator: sign.operator, right };
}

const operators = ['==', '!=', '<=', '>=', '<', '>'] as const;

function findOperator(text: string): { at: number; operator: (typeof operators)[number] } | undefined {
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '"' || character === "'") {
      quote = character;
    } else if ('=!<>'.includes(character)) {
      const operator = operators.find((one) => text.startsWith(one, at));
      if (operator !== undefined) return { at, operator };
    }
  }
  return undefined;
}

function parseOperand(text: string, depth: number): Operand | undefined {
  const quoted = unquoted(text);
  if (quoted !== undefined) return { value: quoted };
  if (/^-?\d+(\.\d+)?$/.test(text)) return { value: Number(text) };
  if (text === 'true' || text === 'false') return { value: text === 'true' };
  if (!text.startsWith('@') && !text.startsWith('$')) return undefined;
  const path = parsePath(text.slice(1), depth);
  return path && { path, fromRoot: text.startsWith('$') };
}

function unquoted(text: string): string | undefined {
  const match = /^(["'])(.*)\1$/s.exec(text);
  return match === null ? undefined : (match[2] ?? '').replace(/\\(.)/gs, '$1');
}

function splitOutside(text: string, separator: string): string[] {
  const parts: string[] = [''];
  let quote = '';
  for (const character of text) {
    if (quote !== '' && character === quote) quote = '';
    else if (quote === '' && (character === '"' || character === "'")) quote = character;
    if (character === separator && quote === '') parts.push('');
    else parts.push(`${parts.pop() ?? ''}${character}`);
  }
  return parts;
}
