import { KnownVariables } from './known-variables.ts';
import { unquote } from './literals.ts';
import type { Node, Pipeline, Template } from './nodes.ts';
import { parsePipeline } from './parse-pipeline.ts';
import { scan, type TemplateSegment } from './scan.ts';
import { positionAt, TemplateError } from './template-error.ts';
import type { TemplateWork } from './template-work.ts';
import { TokenReader } from './token-reader.ts';

/** The maximum nesting depth of blocks, which limits the recursion of the parser. */
const maxDepth = 100;

/**
 * Parses a template of Go's `text/template`. `isFunction` returns true for names of functions. Throws TemplateError.
 * The work is charged while the text is split into tokens, and parsing is linear in the number of tokens.
 */
export function parseTemplate(text: string, isFunction: IsFunction, work: TemplateWork): Template {
  return new Parser(text, isFunction, scan(text, work), true).parse();
}

/**
 * Parses a template only to check its syntax, and keeps no nodes, so that a large template takes little memory. Throws
 * TemplateError.
 */
export function checkTemplateSyntax(text: string, isFunction: IsFunction, work: TemplateWork): void {
  new Parser(text, isFunction, scan(text, work), false).parse();
}

type IsFunction = (name: string) => boolean;

type Keyword = 'if' | 'with' | 'range';

/** A condition and the nodes that are executed if it is true. */
interface Branch {
  readonly pipeline: Pipeline;
  readonly body: readonly Node[];
  readonly offset: number;
}

interface Block {
  readonly nodes: Node[];
  /**
   * The keyword that ended the block, and the reader, positioned after that keyword. Absent if the template ended
   * first.
   */
  readonly end?: { readonly word: 'end' | 'else'; readonly reader: TokenReader };
}

class Parser {
  readonly #text: string;
  readonly #isFunction: IsFunction;
  /** False if only the syntax is checked, so that parsed nodes are dropped immediately. */
  readonly #keepsNodes: boolean;
  readonly #pieces: Iterator<TemplateSegment, undefined>;
  readonly #named = new Map<string, readonly Node[]>();
  /** The piece that was read last; `undefined` at the end of the template. */
  #piece: TemplateSegment | undefined;
  #depth = 0;
  #ranges = 0;
  #variables = new KnownVariables();

  constructor(text: string, isFunction: IsFunction, pieces: Iterator<TemplateSegment, undefined>, keepsNodes: boolean) {
    this.#text = text;
    this.#isFunction = isFunction;
    this.#pieces = pieces;
    this.#keepsNodes = keepsNodes;
  }

  parse(): Template {
    const { nodes, end } = this.#block();
    if (end !== undefined) end.reader.fail(`unexpected {{${end.word}}}`);
    return { text: this.#text, nodes, named: this.#named };
  }

  #block(): Block {
    if (++this.#depth > maxDepth) this.#fail('blocks are nested too deeply');
    const nodes: Node[] = [];
    for (let piece = this.#nextPiece(); piece !== undefined; piece = this.#nextPiece()) {
      if (piece.type === 'text') {
        if (this.#keepsNodes) nodes.push(piece);
        continue;
      }
      const reader = new TokenReader(this.#text, piece.tokens, piece.offset);
      const word = reader.takeWord('end', 'else');
      if (word === 'end') reader.end('end');
      if (word !== undefined) {
        this.#depth--;
        return { nodes, end: { word: word as 'end' | 'else', reader } };
      }
      const node = this.#action(reader);
      if (node !== undefined && this.#keepsNodes) nodes.push(node);
    }
    this.#depth--;
    return { nodes };
  }

  #nextPiece(): TemplateSegment | undefined {
    this.#piece = this.#pieces.next().value;
    return this.#piece;
  }

  #action(reader: TokenReader): Node | undefined {
    const { offset } = reader;
    const keyword = reader.takeWord('if', 'with', 'range');
    if (keyword !== undefined) return this.#conditional(keyword as Keyword, reader);
    if (reader.takeWord('define') !== undefined) return this.#define(reader);
    if (reader.takeWord('template') !== undefined) {
      return { type: 'template', ...this.#call(reader, 'template clause'), offset };
    }
    if (reader.takeWord('block') !== undefined) {
      const call = this.#call(reader, 'block clause');
      this.#body(call.name, 'block');
      return { type: 'template', ...call, offset };
    }
    const jump = this.#ranges > 0 ? reader.takeWord('break', 'continue') : undefined;
    if (jump !== undefined) {
      reader.end(jump);
      return { type: jump as 'break' | 'continue' };
    }
    return { type: 'action', pipeline: this.#pipeline(reader, 'command') };
  }

  #conditional(type: Keyword, reader: TokenReader): Node {
    const known = this.#variables.length;
    const branches: Branch[] = [];
    let otherwise: Node[] = [];
    for (let next: TokenReader | undefined = reader; next !== undefined; ) {
      const { branch, end } = this.#branch(type, next);
      branches.push(branch);
      next = undefined;
      if (end.word !== 'else') continue;
      // An {{else if}} has no {{end}} of its own. One {{end}} closes the {{if}} and all its branches.
      if (type !== 'range' && end.reader.takeWord(type) !== undefined) next = end.reader;
      else otherwise = this.#otherwise(end.reader);
    }
    this.#variables.forgetFrom(known);
    const [first, ...others] = branches as [Branch, ...Branch[]];
    for (const branch of others.reverse()) otherwise = [{ type, ...branch, otherwise }];
    return { type, ...first, otherwise };
  }

  /** Parses the condition and the body of an {{if}}, {{with}} or {{range}}, until its {{else}} or {{end}}. */
  #branch(type: Keyword, reader: TokenReader): { branch: Branch; end: NonNullable<Block['end']> } {
    const { offset } = reader;
    const pipeline = this.#pipeline(reader, type);
    if (type === 'range') this.#ranges++;
    const { nodes: body, end } = this.#block();
    if (type === 'range') this.#ranges--;
    if (end === undefined) return reader.fail(`{{${type}}} has no matching {{end}}`, offset);
    return { branch: { pipeline, body, offset }, end };
  }

  #otherwise(reader: TokenReader): Node[] {
    reader.end('else');
    const { offset } = reader;
    const { nodes, end } = this.#block();
    if (end === undefined) return reader.fail('{{else}} has no matching {{end}}', offset);
    if (end.word === 'else') end.reader.fail('unexpected {{else}}');
    return nodes;
  }

  #define(reader: TokenReader): undefined {
    if (this.#depth > 1) reader.fail('unexpected {{define}}');
    const name = this.#name(reader, 'define clause');
    reader.end('define clause');
    this.#body(name, 'define');
  }

  /**
   * Parses the body of a named template until its {{end}}. The body cannot use variables that are declared outside of
   * it.
   */
  #body(name: string, word: string): void {
    const outer = { variables: this.#variables, ranges: this.#ranges };
    this.#variables = new KnownVariables();
    this.#ranges = 0;
    const { nodes, end } = this.#block();
    if (end?.word !== 'end') this.#fail(`{{${word} ${JSON.stringify(name)}}} has no matching {{end}}`);
    this.#variables = outer.variables;
    this.#ranges = outer.ranges;
    this.#named.set(name, nodes);
  }

  #call(reader: TokenReader, what: string): { name: string; pipeline?: Pipeline } {
    const name = this.#name(reader, what);
    reader.skipSpace();
    return reader.peek() === undefined ? { name } : { name, pipeline: this.#pipeline(reader, what) };
  }

  #name(reader: TokenReader, what: string): string {
    const token = reader.take('string');
    const name = token === undefined ? undefined : unquote(token.text);
    return name ?? reader.fail(`missing quoted name in ${what}`);
  }

  #pipeline(reader: TokenReader, what: string): Pipeline {
    const pipeline = parsePipeline(reader, what, { variables: this.#variables, isFunction: this.#isFunction });
    reader.end(what);
    return pipeline;
  }

  #fail(message: string): never {
    throw new TemplateError(message, positionAt(this.#text, this.#piece?.offset ?? this.#text.length));
  }
}
