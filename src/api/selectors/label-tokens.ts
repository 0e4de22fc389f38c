/** A selector that cannot be parsed. The message is Kubernetes' own. */
export class SelectorSyntaxError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SelectorSyntaxError';
  }
}

type SymbolText = '!' | '=' | '==' | '!=' | '(' | ')' | ',' | '>' | '<';
type Token = { readonly type: 'word' | 'end' | 'in' | 'notin' | SymbolText; readonly text: string };

const symbols: ReadonlySet<string> = new Set(['!', '=', '==', '!=', '(', ')', ',', '>', '<']);
const operators = ['=', '==', '!=', 'in', 'notin', '>', '<'] as const;
type Operator = (typeof operators)[number];

/** Tokenizer for label selectors. `in` and `notin` are operators only where an operator is expected. */
export class LabelTokens {
  readonly #tokens: Token[] = [];
  #at = 0;

  constructor(text: string) {
    // Runs of symbols are split greedily: the longest known symbol first.
    for (const [piece] of text.matchAll(/[=!(),><]+|[^=!(),>< \t\r\n]+/g)) {
      if (!/^[=!(),><]/.test(piece)) {
        this.#tokens.push({ type: piece === 'in' || piece === 'notin' ? piece : 'word', text: piece });
        continue;
      }
      for (let at = 0; at < piece.length; ) {
        const double = piece.slice(at, at + 2);
        const symbol = symbols.has(double) ? double : piece.charAt(at);
        this.#tokens.push({ type: symbol as SymbolText, text: symbol });
        at += symbol.length;
      }
    }
  }

  #peek(): Token {
    return this.#tokens[this.#at] ?? { type: 'end', text: '' };
  }

  /** Treats `in` and `notin` as words. */
  peekWord(): Token {
    const token = this.#peek();
    return token.type === 'in' || token.type === 'notin' ? { type: 'word', text: token.text } : token;
  }

  takeWord(): Token {
    const token = this.peekWord();
    this.#at++;
    return token;
  }

  takeOperator(): Operator {
    const token = this.#peek();
    this.#at++;
    const operator = operators.find((known) => known === token.type);
    if (operator !== undefined) return operator;
    throw new SelectorSyntaxError(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`);
  }

  /** The value after `=`. A missing value is the empty string. */
  takeValue(): string {
    const next = this.peekWord();
    if (next.type === 'end' || next.type === ',') return '';
    this.#at++;
    if (next.type === 'word') return next.text;
    throw new SelectorSyntaxError(`found '${next.text}', expected: identifier`);
  }

  /** `(a,b)`: a missing word is the empty value, and `()` contains only the empty value. */
  takeList(): string[] {
    const open = this.takeWord();
    if (open.type !== '(') throw new SelectorSyntaxError(`found '${open.text}' expected: '('`);
    const values = new Set<string>();
    let expectValue = true;
    for (;;) {
      const token = this.takeWord();
      if (token.type === ')') {
        if (expectValue) values.add('');
        return [...values];
      }
      if (token.type === ',') {
        if (expectValue) values.add('');
        expectValue = true;
      } else if (token.type === 'word' && expectValue) {
        values.add(token.text);
        expectValue = false;
      } else {
        const expected = expectValue ? "',', ')' or identifier" : "',' or ')'";
        throw new SelectorSyntaxError(`found '${token.text}', expected: ${expected}`);
      }
    }
  }
}
