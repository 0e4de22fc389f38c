import { characterCode, parseNumber, unquote } from './literals.ts';
import type { Command, Literal, Operand, Pipeline } from './nodes.ts';
import type { Position } from './template-error.ts';
import { describe, type TokenReader } from './token-reader.ts';

/** The variables and functions that are defined at this position. A pipeline that declares variables adds them. */
export interface KnownNames {
  readonly variables: string[];
  isFunction(name: string): boolean;
}

const maxDepth = 50;

/** Parses a pipeline until its end, a closing parenthesis, or a token that cannot be part of a pipeline. */
export function parsePipeline(reader: TokenReader, what: string, names: KnownNames, depth = 0): Pipeline {
  if (depth > maxDepth) reader.fail('parentheses are nested too deeply');
  reader.skipSpace();
  const { position } = reader;
  const target = depth === 0 ? parseTarget(reader, what, names) : { variables: [], declares: false };
  const commands: Command[] = [];
  do {
    reader.skipSpace();
    commands.push(parseCommand(reader, what, names, depth));
  } while (reader.take('pipe') !== undefined);
  for (const [index, { operands, position: at }] of commands.entries()) {
    const [first] = operands;
    if (index > 0 && first?.type === 'literal')
      reader.fail(`a value that is not a function is part of a pipeline at line ${at.line}`);
  }
  if (target.declares) names.variables.push(...target.variables);
  return { ...target, commands, position };
}

/** Parses the variables that a pipeline declares or assigns: `$a :=`, `$a =`, and in a range `$a, $b :=`. */
function parseTarget(reader: TokenReader, what: string, names: KnownNames): Pick<Pipeline, 'variables' | 'declares'> {
  const none = { variables: [], declares: false };
  const first = reader.peek();
  if (first?.type !== 'variable') return none;
  const afterSpace = reader.peek(1)?.type === 'space' ? 2 : 1;
  const follows = reader.peek(afterSpace)?.type;
  if (follows !== 'declare' && follows !== 'assign' && !(follows === 'comma' && what === 'range')) return none;
  const variables: string[] = [];
  for (;;) {
    const token = reader.take('variable') ?? reader.fail(`missing variable in ${what}`);
    variables.push(token.text);
    reader.skipSpace();
    if (reader.take('comma') === undefined) break;
    if (variables.length === 2) reader.fail(`too many declarations in ${what}`);
    reader.skipSpace();
  }
  const declares = reader.take('declare') !== undefined;
  if (!declares && reader.take('assign') === undefined) reader.fail(`missing := or = in ${what}`);
  if (!declares) for (const name of variables) knownVariable(reader, name, names);
  return { variables, declares };
}

function knownVariable(reader: TokenReader, name: string, names: KnownNames): void {
  if (!names.variables.includes(name)) reader.fail(`undefined variable ${JSON.stringify(name)}`);
}

function parseCommand(reader: TokenReader, what: string, names: KnownNames, depth: number): Command {
  const { position } = reader;
  const operands: Operand[] = [];
  for (;;) {
    const operand = parseOperand(reader, names, depth);
    if (operand === undefined) break;
    operands.push(operand);
    if (reader.take('space') === undefined) break;
  }
  const next = reader.peek();
  if (operands.length === 0)
    reader.fail(next === undefined ? `missing value for ${what}` : `unexpected ${describe(next)} in ${what}`);
  const [first] = operands;
  if (first?.type === 'literal' && first.value === null) reader.fail('nil is not a command');
  if (operands.length > 1 && first?.type === 'literal') {
    reader.fail(`can't give arguments to the non-function ${JSON.stringify(first.value)}`);
  }
  return { operands, position };
}

function parseOperand(reader: TokenReader, names: KnownNames, depth: number): Operand | undefined {
  const { position } = reader;
  const token = reader.peek();
  switch (token?.type) {
    case 'dot':
      reader.take('dot');
      return { type: 'dot', path: [], position };
    case 'field':
      return { type: 'dot', path: parsePath(reader), position };
    case 'variable':
      knownVariable(reader, token.text, names);
      reader.take('variable');
      return { type: 'variable', name: token.text, path: parsePath(reader), position };
    case 'open': {
      reader.take('open');
      const pipeline = parsePipeline(reader, 'parenthesized pipeline', names, depth + 1);
      reader.skipSpace();
      if (reader.take('close') === undefined) reader.fail('unclosed left paren');
      return { type: 'pipeline', pipeline, path: parsePath(reader), position };
    }
    case 'identifier':
      return parseWord(reader, names, position);
    case 'string':
    case 'number':
    case 'character': {
      const value = literalOf(token.type, token.text) ?? reader.fail(`bad ${token.type} ${token.text}`);
      reader.take(token.type);
      const next = reader.peek();
      if (next?.type === 'identifier' || next?.type === 'field')
        reader.fail(`unexpected ${describe(next)} after ${token.text}`);
      return { type: 'literal', value, position };
    }
    default:
      return undefined;
  }
}

const words: Readonly<Record<string, Literal>> = { true: true, false: false, nil: null };

function parseWord(reader: TokenReader, names: KnownNames, position: Position): Operand {
  const name = reader.peek()?.text ?? '';
  if (Object.hasOwn(words, name)) {
    reader.take('identifier');
    return { type: 'literal', value: words[name] ?? null, position };
  }
  if (!names.isFunction(name)) reader.fail(`function ${JSON.stringify(name)} not defined`);
  reader.take('identifier');
  return { type: 'function', name, position };
}

function literalOf(type: 'string' | 'number' | 'character', text: string): Literal | undefined {
  if (type === 'string') return unquote(text);
  return type === 'number' ? parseNumber(text) : characterCode(text);
}

/** Parses a path of fields such as `.a.b`, which must not contain white space. */
function parsePath(reader: TokenReader): string[] {
  const path: string[] = [];
  for (let token = reader.take('field'); token !== undefined; token = reader.take('field'))
    path.push(token.text.slice(1));
  return path;
}
