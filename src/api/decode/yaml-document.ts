import { isJsonObject, type JsonObject, type JsonValue, setMember } from '@flotilla/json';
import {
  EVENT_ID,
  type Event,
  getScalarValue,
  type MappingEvent,
  parseEvents,
  SCALAR_STYLE,
  type ScalarEvent,
  type SequenceEvent,
  YAMLException,
} from 'js-yaml';
import { DocumentError } from './document-error.ts';
import { resolvePlainScalar, resolveTaggedScalar, truncateLikeGoYaml, type YamlScalar } from './yaml-scalar.ts';

/**
 * The maximum nesting depth. No manifest is nested this deeply, and the recursive parser would overflow the stack only
 * at a much greater depth.
 */
const maxDepth = 500;

export interface YamlDocument {
  readonly value: JsonValue;
  /**
   * Messages for duplicate keys, such as `line 6: key "name" already set in map`. The last value of a duplicate key is
   * used.
   */
  readonly duplicates: string[];
}

/** Maximum number of duplicate keys that are reported. A malicious document could contain any number. */
const maxDuplicates = 100;

/**
 * The maximum number of nodes that all aliases of a document may add. Manifests need far fewer, and the limit stops
 * alias bombs.
 */
const maxAliasedNodes = 100_000;

/** Maximum number of characters that all aliases of a document may add. Each alias of a string copies the string. */
const maxAliasedCharacters = 1024 * 1024;

/** Reads the first document of a YAML stream as JSON. Returns null for an empty stream. */
export function readYaml(text: string): YamlDocument {
  return new YamlReader(text, parse(text)).read();
}

function parse(text: string): Event[] {
  try {
    return parseEvents(text, { maxDepth });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    if (/depth/i.test(error.reason)) throw new DocumentError(`yaml: exceeded max depth of ${maxDepth}`);
    const place = error.mark === undefined ? '' : `line ${error.mark.line + 1}: `;
    throw new DocumentError(`yaml: ${place}${error.reason}`);
  }
}

class YamlReader {
  readonly #text: string;
  readonly #events: Event[];
  #at = 0;
  readonly #duplicates: string[] = [];
  /** The value of each anchor; `undefined` until the anchored value has been read completely. */
  readonly #anchors = new Map<string, JsonValue | undefined>();
  #aliasedNodes = 0;
  #aliasedCharacters = 0;
  /**
   * The offset up to which lines were counted, and the line number at that offset. Keys are read in document order, so
   * counting continues from there.
   */
  #counted = { offset: 0, line: 1 };

  constructor(text: string, events: Event[]) {
    this.#text = text;
    this.#events = events;
  }

  read(): YamlDocument {
    const first = this.#next();
    if (first?.type !== EVENT_ID.DOCUMENT) return { value: null, duplicates: [] };
    return { value: this.#value(), duplicates: this.#duplicates };
  }

  #next(): Event | undefined {
    return this.#events[this.#at++];
  }

  #value(): JsonValue {
    const event = this.#next();
    switch (event?.type) {
      case EVENT_ID.SCALAR:
      case EVENT_ID.SEQUENCE:
      case EVENT_ID.MAPPING:
        return this.#node(event);
      case EVENT_ID.ALIAS:
        return this.#aliased(this.#text.slice(event.anchorStart, event.anchorEnd));
      default:
        this.#at--;
        return null;
    }
  }

  #node(event: ScalarEvent | SequenceEvent | MappingEvent): JsonValue {
    const anchor = event.anchorStart < 0 ? undefined : this.#text.slice(event.anchorStart, event.anchorEnd);
    if (anchor !== undefined) this.#anchors.set(anchor, undefined);
    const value =
      event.type === EVENT_ID.SCALAR
        ? jsonScalar(this.#scalar(event))
        : event.type === EVENT_ID.SEQUENCE
          ? this.#sequence()
          : this.#mapping();
    if (anchor !== undefined) this.#anchors.set(anchor, value);
    return value;
  }

  /**
   * Returns a copy of the value of an anchor, so that no values are shared. The copied nodes are counted, because
   * nested aliases can grow exponentially.
   */
  #aliased(anchor: string): JsonValue {
    const shownAnchor = truncateLikeGoYaml(anchor);
    if (!this.#anchors.has(anchor)) throw new DocumentError(`yaml: unknown anchor '${shownAnchor}' referenced`);
    const value = this.#anchors.get(anchor);
    if (value === undefined) throw new DocumentError(`yaml: anchor '${shownAnchor}' value contains itself`);
    return this.#copy(value);
  }

  #copy(value: JsonValue): JsonValue {
    this.#countAliased(typeof value === 'string' ? value : '');
    if (Array.isArray(value)) return value.map((item) => this.#copy(item));
    if (!isJsonObject(value)) return value;
    const copy: JsonObject = {};
    for (const [name, member] of Object.entries(value)) {
      this.#countAliased(name);
      setMember(copy, name, this.#copy(member));
    }
    return copy;
  }

  #countAliased(text: string): void {
    this.#aliasedNodes++;
    this.#aliasedCharacters += text.length;
    if (this.#aliasedNodes > maxAliasedNodes || this.#aliasedCharacters > maxAliasedCharacters) {
      throw new DocumentError('yaml: document contains excessive aliasing');
    }
  }

  #sequence(): JsonValue[] {
    const items: JsonValue[] = [];
    while (this.#events[this.#at]?.type !== EVENT_ID.POP) items.push(this.#value());
    this.#at++;
    return items;
  }

  #mapping(): JsonObject {
    const members: JsonObject = {};
    const merged: JsonObject[] = [];
    while (this.#events[this.#at]?.type !== EVENT_ID.POP) {
      const event = this.#next();
      if (event?.type !== EVENT_ID.SCALAR) throw new DocumentError('yaml: invalid map key: keys must be scalars');
      if (this.#isMerge(event)) {
        merged.push(...mergeSources(this.#value()));
        continue;
      }
      const key = this.#scalar(event);
      const name = keyName(key);
      const line = this.#line(this.#valueOffset(event.valueEnd));
      const value = this.#value();
      if (Object.hasOwn(members, name) && this.#duplicates.length < maxDuplicates) {
        const shown = typeof key === 'string' ? JSON.stringify(key) : name;
        this.#duplicates.push(`line ${line}: key ${shown} already set in map`);
      }
      setMember(members, name, value);
    }
    this.#at++;
    for (const source of merged) {
      for (const [name, value] of Object.entries(source)) {
        if (!Object.hasOwn(members, name)) setMember(members, name, value);
      }
    }
    return members;
  }

  #isMerge(event: ScalarEvent): boolean {
    return event.style === SCALAR_STYLE.PLAIN && event.tagStart < 0 && getScalarValue(this.#text, event) === '<<';
  }

  #scalar(event: ScalarEvent): YamlScalar {
    const text = event.valueStart < 0 ? '' : getScalarValue(this.#text, event);
    const plain = event.style === SCALAR_STYLE.PLAIN;
    if (event.tagStart >= 0) return resolveTaggedScalar(this.#text.slice(event.tagStart, event.tagEnd), text, plain);
    return plain ? resolvePlainScalar(text) : text;
  }

  /** Returns the offset at which a duplicate key is reported: the start of its value, as in Go. */
  #valueOffset(keyEnd: number): number {
    const event = this.#events[this.#at];
    if (event?.type === EVENT_ID.SCALAR) return event.valueStart < 0 ? keyEnd : event.valueStart;
    if (event?.type === EVENT_ID.ALIAS) return event.anchorStart;
    return event?.type === EVENT_ID.MAPPING || event?.type === EVENT_ID.SEQUENCE ? event.start : keyEnd;
  }

  #line(offset: number): number {
    for (; this.#counted.offset < offset; this.#counted.offset++) {
      if (this.#text[this.#counted.offset] === '\n') this.#counted.line++;
    }
    return this.#counted.line;
  }
}

function mergeSources(value: JsonValue): JsonObject[] {
  const sources = Array.isArray(value) ? value : [value];
  return sources.map((source) => {
    if (!isJsonObject(source)) throw new DocumentError('yaml: map merge requires map or sequence of maps as the value');
    return source;
  });
}

function jsonScalar(value: YamlScalar): JsonValue {
  if (typeof value !== 'number' || Number.isFinite(value)) return value;
  const shown = Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  throw new DocumentError(`json: unsupported value: ${shown}`);
}

function keyName(key: YamlScalar): string {
  if (key === null) throw new DocumentError('unsupported map key of type: <nil>');
  if (typeof key !== 'number' || Number.isFinite(key)) return String(key);
  return Number.isNaN(key) ? '.nan' : key > 0 ? '.inf' : '-.inf';
}
