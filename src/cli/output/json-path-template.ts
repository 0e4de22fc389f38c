import { type JsonValue, writeJson } from '@flotilla/json';
import { compileColumnPathValues } from '../../api/apiextensions/column-path.ts';
import { usageError } from '../cli-error.ts';

type Values = (value: JsonValue) => readonly JsonValue[];
type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'values'; readonly values: Values; readonly fromRoot: boolean }
  | { readonly kind: 'range'; readonly values: Values; readonly fromRoot: boolean; readonly body: Node[] };

/**
 * Compiles a JSONPath template as kubectl defines it: text, `{.spec.key}`, `{"\n"}`, `{range .items[*]}…{end}`. The
 * braces of a single path are optional. A path without a match prints nothing.
 */
export function jsonPathTemplate(text: string): (document: JsonValue) => string {
  const nodes = parse(text.includes('{') ? text : `{${text}}`);
  return (document) => write(nodes, document, document);
}

function parse(text: string): Node[] {
  const root: Node[] = [];
  const open: Node[][] = [root];
  let at = 0;
  while (at < text.length) {
    const begin = text.indexOf('{', at);
    const plain = text.slice(at, begin < 0 ? text.length : begin);
    const nodes = open.at(-1) ?? root;
    if (plain !== '') nodes.push({ kind: 'text', text: plain });
    if (begin < 0) break;
    const end = closing(text, begin);
    const inside = text.slice(begin + 1, end).trim();
    at = end + 1;
    if (inside === 'end') {
      if (open.length === 1) throw usageError('-o jsonpath: {end} without {range}');
      open.pop();
    } else if (/^range\s/.test(inside)) {
      const body: Node[] = [];
      nodes.push({ kind: 'range', ...path(inside.slice('range'.length).trim()), body });
      open.push(body);
    } else {
      nodes.push(expression(inside));
    }
  }
  if (open.length > 1) throw usageError('-o jsonpath: {range} without {end}');
  return root;
}

function closing(text: string, from: number): number {
  let quote = '';
  for (let at = from + 1; at < text.length; at++) {
    const character = text[at] ?? '';
    if (quote !== '') {
      if (character === '\\') at++;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '}') return at;
  }
  throw usageError(`-o jsonpath: ${JSON.stringify(text.slice(from))} has no closing brace`);
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

function expression(inside: string): Node {
  const quoted = /^(["'])(.*)\1$/s.exec(inside);
  if (quoted === null) return { kind: 'values', ...path(inside) };
  const text = (quoted[2] ?? '').replaceAll(/\\(.)/gs, (_, character: string) => escapes[character] ?? character);
  return { kind: 'text', text };
}

function path(text: string): { values: Values; fromRoot: boolean } {
  const fromRoot = text.startsWith('$');
  const rest = text.replace(/^[$@]/, '');
  const dotted = rest === '' || !/^[.[]/.test(rest) ? `.${rest}` : rest.startsWith('[') ? `.${rest}` : rest;
  const values = compileColumnPathValues(dotted);
  if (values === undefined) throw usageError(`-o jsonpath: ${JSON.stringify(text)} is not a valid path`);
  return { values, fromRoot };
}

function write(nodes: readonly Node[], value: JsonValue, root: JsonValue): string {
  return nodes
    .map((node) => {
      if (node.kind === 'text') return node.text;
      const found = node.values(node.fromRoot ? root : value);
      if (node.kind === 'range') return found.map((item) => write(node.body, item, root)).join('');
      return found.map((item) => (typeof item === 'string' ? item : writeJson(item))).join(' ');
    })
    .join('');
}
