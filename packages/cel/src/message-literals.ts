/** A message literal, such as `Object.spec{replicas: 3}`, in the source text of an expression. */
export interface MessageLiteral {
  readonly typeName: string;
  readonly fields: readonly MessageField[];
}

export interface MessageField {
  readonly name: string;
  /** The offset of the colon, which errors point to. */
  at: number;
  /** True for `?name: value`: the field is set only if the optional value is present. */
  readonly isOptional: boolean;
}

export interface RewrittenText {
  /**
   * The expression with calls instead of message literals. The rewritten text has the same length as the original, so
   * offsets are valid in both.
   */
  readonly text: string;
  /** The message literals by the offset of their opening brace. */
  readonly messages: ReadonlyMap<number, MessageLiteral>;
}

const NO_MESSAGES: ReadonlyMap<number, MessageLiteral> = new Map();

/**
 * Rewrites message literals, which the grammar does not support, to calls: `Object{a: 1}` becomes `______(_, 1)`. Also
 * replaces the names, because a field can have the name of a reserved word, and a type the name of a macro. Returns a
 * text without message literals unchanged. Also returns a text that is not well-formed unchanged; the grammar then
 * reports the error.
 */
export function rewriteMessages(text: string): RewrittenText {
  if (!/\w\s*\{/.test(text)) return { text, messages: NO_MESSAGES };
  return new Rewriter(text).run() ?? { text, messages: NO_MESSAGES };
}

/**
 * Matches the tokens that the rewriter needs. In raw strings, a backslash is not an escape. A comment counts as space.
 * A name token contains the whole qualified name.
 */
const TOKEN = new RegExp(
  [
    /(?<space>(?:\s|\/\/[^\n]*)+)/,
    /(?<raw>(?:[rR][bB]?|[bB][rR])(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n]*"|'[^'\n]*'))/,
    /(?<string>[bB]?(?:"""(?:\\[\s\S]|[^\\])*?"""|'''(?:\\[\s\S]|[^\\])*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))/,
    /(?<number>\d\w*)/,
    /(?<name>[A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*)/,
    /(?<other>[\s\S])/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'y',
);

/** Names that cannot be the name of a type or field, because they are operators or literals. */
const KEYWORDS = new Set(['in', 'true', 'false', 'null']);
/** The closing bracket for each opening bracket. */
const CLOSING: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
]);
const CLOSING_BRACKETS = new Set(CLOSING.values());

interface Token {
  readonly kind: string;
  readonly text: string;
  readonly at: number;
}

/** An open bracket. `message` is present only if the bracket opens a message literal. */
interface Frame {
  readonly at: number;
  readonly message?: { readonly typeName: string; readonly fields: MessageField[] };
  /** The part of a field that comes next. */
  next: 'name' | 'colon' | 'value';
}

class Rewriter {
  readonly #text: string;
  readonly #characters: string[];
  readonly #messages = new Map<number, MessageLiteral>();
  readonly #frames: Frame[] = [];
  #last: Token | undefined;
  #beforeLast: Token | undefined;

  constructor(text: string) {
    this.#text = text;
    this.#characters = text.split('');
  }

  /** Returns `undefined` if the text is not well-formed. */
  run(): RewrittenText | undefined {
    for (let at = 0; at < this.#text.length; ) {
      TOKEN.lastIndex = at;
      const groups = TOKEN.exec(this.#text)?.groups ?? {};
      const [kind, text] = Object.entries(groups).find(([, value]) => value !== undefined) as [string, string];
      const token: Token = { kind, text, at };
      at += text.length;
      if (kind === 'space') continue;
      // A quotation mark without a complete string: the text is not well-formed.
      if (text === '"' || text === "'") return undefined;
      if (!this.#accept(token)) return undefined;
      this.#beforeLast = this.#last;
      this.#last = token;
    }
    return this.#frames.length > 0 ? undefined : { text: this.#characters.join(''), messages: this.#messages };
  }

  #accept(token: Token): boolean {
    const frame = this.#frames.at(-1);
    if (frame?.message !== undefined && token.text !== '}') {
      if (frame.next === 'name') return this.#fieldName(frame, token);
      if (frame.next === 'colon') {
        this.#replace(token.at, ',');
        const field = frame.message.fields.at(-1);
        if (field !== undefined) field.at = token.at;
        frame.next = 'value';
        return token.text === ':';
      }
      if (token.text === ',') frame.next = 'name';
    }
    if (CLOSING.has(token.text)) this.#open(token);
    else if (CLOSING_BRACKETS.has(token.text)) return this.#close(token);
    return true;
  }

  #fieldName(frame: Frame, token: Token): boolean {
    if (token.text === '?' && this.#last?.text !== '?') {
      this.#replace(token.at, ' ');
      return true;
    }
    if (token.kind !== 'name' || !/^\w+$/.test(token.text) || KEYWORDS.has(token.text)) return false;
    this.#replace(token.at, '_');
    frame.message?.fields.push({ name: token.text, at: token.at, isOptional: this.#last?.text === '?' });
    frame.next = 'colon';
    return true;
  }

  #open({ text, at }: Token): void {
    const type = text === '{' && this.#beforeLast?.text !== '.' ? this.#last : undefined;
    if (type?.kind !== 'name' || KEYWORDS.has(type.text)) {
      this.#frames.push({ at, next: 'value' });
      return;
    }
    for (let place = type.at; place < type.at + type.text.length; place++) this.#replace(place, '_');
    this.#replace(at, '(');
    this.#frames.push({ at, message: { typeName: type.text.replace(/\s+/g, ''), fields: [] }, next: 'name' });
  }

  #close({ text, at }: Token): boolean {
    const frame = this.#frames.pop();
    if (frame === undefined || CLOSING.get(this.#text[frame.at] ?? '') !== text) return false;
    if (frame.message === undefined) return true;
    if (frame.next === 'colon' || this.#last?.text === '?') return false;
    // Remove a comma after the last argument of a call, because the grammar does not accept it.
    if (this.#last?.text === ',') this.#replace(this.#last.at, ' ');
    this.#replace(at, ')');
    this.#messages.set(frame.at, frame.message);
    return true;
  }

  #replace(at: number, character: string): void {
    this.#characters[at] = character;
  }
}
