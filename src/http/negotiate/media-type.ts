export interface MediaRange {
  /** The part before the slash, in lower case. */
  readonly type: string;
  readonly subtype: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * The maximum number of media types in a header, and of parameters of a media type. Further ones are ignored. Error
 * responses are negotiated too, so the server parses headers even of unauthenticated clients, and parsing 64 KiB of
 * media types would take many milliseconds.
 */
const maxParts = 64;

/**
 * Parses a media type such as `type/subtype; a=b; c="d"`. Parameter names become lower case, values stay unchanged.
 * Returns `undefined` if the text is invalid.
 */
export function parseMediaRange(text: string): MediaRange | undefined {
  const [essence = '', ...rest] = splitOutsideQuotes(text, ';');
  const match = /^\s*([^\s/;,]+)\/([^\s/;,]+)\s*$/.exec(essence);
  const bare = essence.trim() === '*' ? '*' : undefined;
  const type = match?.[1] ?? bare;
  const subtype = match?.[2] ?? bare;
  if (type === undefined || subtype === undefined) return undefined;
  if (rest.length === 0) return { type: type.toLowerCase(), subtype: subtype.toLowerCase(), parameters: noParameters };
  const parameters = new Map<string, string>();
  for (const parameter of rest) {
    const equals = parameter.indexOf('=');
    const name = (equals < 0 ? parameter : parameter.slice(0, equals)).trim().toLowerCase();
    if (name !== '') parameters.set(name, unquote(equals < 0 ? '' : parameter.slice(equals + 1).trim()));
  }
  return { type: type.toLowerCase(), subtype: subtype.toLowerCase(), parameters };
}

const noParameters: ReadonlyMap<string, string> = new Map();

/** Parsed Accept headers. Most clients send the same header with every request. */
const cache = new Map<string, readonly MediaRange[]>();
const maxCached = 64;
const maxCachedLength = 256;
/** The Accept header that was parsed last. It is parsed several times during the negotiation for one request. */
let latest: { readonly header: string; readonly clauses: readonly MediaRange[] } = { header: '', clauses: [] };

/**
 * Parses an Accept header. The result is ordered by preference: by the q value, then by specificity, then by the
 * position in the header (rule NEG-08).
 */
export function parseAccept(header: string): readonly MediaRange[] {
  const found = cache.get(header);
  if (found !== undefined) return found;
  if (header === latest.header) return latest.clauses;
  const clauses = readAccept(header);
  latest = { header, clauses };
  if (cache.size < maxCached && header.length <= maxCachedLength) cache.set(header, clauses);
  return clauses;
}

function readAccept(header: string): MediaRange[] {
  const clauses = splitOutsideQuotes(header, ',').flatMap((text) => {
    const range = parseMediaRange(text);
    if (range === undefined) return [];
    const quality = Number(range.parameters.get('q') ?? 1);
    return [{ range, quality: Number.isFinite(quality) ? Math.min(Math.max(quality, 0), 1) : 1 }];
  });
  const exactness = (range: MediaRange) => (range.type === '*' ? 0 : range.subtype === '*' ? 1 : 2);
  return clauses
    .filter((clause) => clause.quality > 0)
    .sort((a, b) => b.quality - a.quality || exactness(b.range) - exactness(a.range))
    .map((clause) => clause.range);
}

/** Splits a text at the separators outside of quotes. Returns at most `maxParts` parts. */
function splitOutsideQuotes(text: string, separator: string): string[] {
  if (!text.includes('"')) return text.split(separator, maxParts);
  const parts: string[] = [];
  let quoted = false;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (quoted && text[at] === '\\') at++;
    else if (text[at] === '"') quoted = !quoted;
    else if (text[at] === separator && !quoted) {
      parts.push(text.slice(start, at));
      if (parts.length === maxParts) return parts;
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

function unquote(text: string): string {
  return text.length >= 2 && text.startsWith('"') && text.endsWith('"')
    ? text.slice(1, -1).replace(/\\(.)/g, '$1')
    : text;
}
