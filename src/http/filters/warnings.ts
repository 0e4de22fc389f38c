import type { Filter } from '../exchange.ts';

/** Beyond this in all, each text is cut; what then still does not fit is dropped (rule HDR-03). */
const totalLength = 4096;
const cutLength = 256;

/** Writes what was found on the way as Warning headers, each text once. */
export function warnings(): Filter {
  return async (exchange, next) => {
    const reply = await next(exchange);
    if (exchange.warnings.length > 0) reply.headers.warning = warningHeaders(exchange.warnings);
    return reply;
  };
}

export function warningHeaders(texts: readonly string[]): string[] {
  const distinct = [...new Set(texts.map(printable))];
  const all = distinct.map(warningHeader);
  if (lengthOf(all) <= totalLength) return all;
  const kept: string[] = [];
  for (const text of distinct) {
    const header = warningHeader(text.slice(0, cutLength));
    if (lengthOf(kept) + header.length > totalLength) break;
    kept.push(header);
  }
  return kept;
}

function lengthOf(headers: readonly string[]): number {
  return headers.reduce((sum, header) => sum + header.length, 0);
}

function warningHeader(text: string): string {
  const quoted = text.replace(/[\\"]/g, '\\$&');
  // Node writes header values as Latin-1; bytes of UTF-8, one character each, arrive as the UTF-8 they are.
  return `299 - "${Buffer.from(quoted, 'utf8').toString('latin1')}"`;
}

function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a header.
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, '').toWellFormed();
}
