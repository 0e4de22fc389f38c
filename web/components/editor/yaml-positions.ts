import { EVENT_ID, type Event, getScalarValue, parseEvents, SCALAR_STYLE, YAMLException } from 'js-yaml';
import { type FieldPath, fieldPathText } from './merge/field-path.ts';

/** A range of offsets in a text. The end offset is exclusive. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** The position of a field in a YAML text. */
export interface FieldPosition {
  readonly steps: FieldPath;
  /** The range of the field name; for a list item, the range of the start of its value. */
  readonly at: TextRange;
  /** The offset of the value's first text line, if the value is a block scalar. */
  readonly firstLine?: number;
}

/** The positions of all fields of a text. */
export interface YamlPositions {
  /** The number of documents in the text. */
  readonly documents: number;
  /**
   * Returns the position of the field at a path in the server's notation. If the field does not exist, returns the
   * position of its nearest existing parent.
   */
  find(path: string): FieldPosition | undefined;
  at(steps: FieldPath): FieldPosition | undefined;
}

/** A YAML syntax error with its offset. */
export class YamlSyntaxError extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.name = 'YamlSyntaxError';
    this.offset = offset;
  }
}

/** Returns the positions of the fields in the first document of a text. Throws `YamlSyntaxError`. */
export function yamlPositions(text: string): YamlPositions {
  const walk = new PlaceWalk(text, events(text));
  walk.run();
  const { byPath, documents } = walk;
  return {
    documents,
    at: (steps) => byPath.get(fieldPathText(steps)),
    find(path) {
      for (let part = path; part !== ''; part = shorter(part)) {
        const place = byPath.get(part) ?? byPath.get(unbracketed(part));
        if (place !== undefined) return place;
      }
      return undefined;
    },
  };
}

function events(text: string): Event[] {
  try {
    return parseEvents(text, { maxDepth: 500 });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const reason = error.reason.charAt(0).toUpperCase() + error.reason.slice(1);
    throw new YamlSyntaxError(reason, Math.min(error.mark?.position ?? 0, text.length));
  }
}

/** Returns the path without its last step: `a.b[0]` for `a.b[0].c`. */
function shorter(path: string): string {
  if (path.endsWith(']')) return path.slice(0, Math.max(path.lastIndexOf('['), 0));
  return path.slice(0, Math.max(path.lastIndexOf('.'), 0));
}

/** Converts `a[b]` to `a.b`, because some servers write a member name in brackets and others write it after a dot. */
function unbracketed(path: string): string {
  return path.replace(/\[([A-Za-z_$][A-Za-z0-9_$-]*)\]/g, '.$1');
}

class PlaceWalk {
  readonly byPath = new Map<string, FieldPosition>();
  documents = 0;
  readonly #text: string;
  readonly #events: Event[];
  #at = 0;

  constructor(text: string, all: Event[]) {
    this.#text = text;
    this.#events = all;
  }

  run(): void {
    this.documents = this.#events.filter(({ type }) => type === EVENT_ID.DOCUMENT).length;
    if (this.documents === 0) return;
    this.#at = 1;
    this.#value([], undefined);
  }

  #value(steps: FieldPath, name: TextRange | undefined): void {
    const event = this.#events[this.#at++];
    if (event === undefined || event.type === EVENT_ID.POP) {
      this.#at--;
      return;
    }
    const at = name ?? this.#start(event);
    const isLong = event.type === EVENT_ID.SCALAR && event.style >= SCALAR_STYLE.LITERAL_BLOCK;
    this.byPath.set(fieldPathText(steps), { steps, at, ...(isLong ? { firstLine: event.valueStart } : {}) });
    if (event.type === EVENT_ID.MAPPING) this.#members(steps);
    else if (event.type === EVENT_ID.SEQUENCE) this.#items(steps);
  }

  #members(steps: FieldPath): void {
    while (this.#isOpen()) {
      const key = this.#events[this.#at++];
      if (key?.type !== EVENT_ID.SCALAR) {
        // The key is not a scalar. The server rejects such keys, so their positions are never requested.
        this.#at--;
        this.#value([...steps, '?'], undefined);
        this.#value([...steps, '?'], undefined);
        continue;
      }
      const name = key.valueStart < 0 ? '' : getScalarValue(this.#text, key);
      this.#value([...steps, name], this.#start(key));
    }
    this.#at++;
  }

  #items(steps: FieldPath): void {
    for (let index = 0; this.#isOpen(); index++) this.#value([...steps, index], undefined);
    this.#at++;
  }

  #isOpen(): boolean {
    const next = this.#events[this.#at];
    return next !== undefined && next.type !== EVENT_ID.POP;
  }

  #start(event: Event): TextRange {
    if (event.type === EVENT_ID.SCALAR && event.valueStart >= 0) {
      return { from: event.valueStart, to: Math.max(event.valueEnd, event.valueStart) };
    }
    if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE) {
      return { from: event.start, to: event.start + 1 };
    }
    if (event.type === EVENT_ID.ALIAS) return { from: event.anchorStart, to: event.anchorEnd };
    return { from: 0, to: 0 };
  }
}
