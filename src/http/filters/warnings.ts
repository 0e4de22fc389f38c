import type { Filter } from '../exchange.ts';

/**
 * Limits on the Warning headers of a response, in characters (rule HDR-03). If all headers together exceed
 * `totalLength`, each warning is cut to `cutLength`. Warnings that still do not fit are omitted.
 */
const totalLength = 4096;
const cutLength = 256;
/**
 * The maximum number of Warning headers of a response of a virtual cluster. If there are more warnings, the last header
 * contains the number of omitted ones.
 */
export const defaultWarningLimit = 20;

/** Adds the warnings of the exchange to the response as Warning headers. Each distinct text is sent once. */
export function warningsFilter(): Filter {
  return async (exchange, next) => {
    const reply = await next(exchange);
    if (exchange.warnings.length > 0) {
      reply.headers.warning = warningHeaders(exchange.warnings, defaultWarningLimit);
    }
    return reply;
  };
}

export function warningHeaders(texts: readonly string[], limit: number): string[] {
  const distinct = atMost(limit, [...new Set(texts.map(printable))]);
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

function atMost(most: number, texts: readonly string[]): readonly string[] {
  if (texts.length <= most) return texts;
  return [...texts.slice(0, most - 1), `${texts.length - most + 1} more warnings are not shown`];
}

function lengthOf(headers: readonly string[]): number {
  return headers.reduce((sum, header) => sum + header.length, 0);
}

function warningHeader(text: string): string {
  const quoted = text.replace(/[\\"]/g, '\\$&');
  // Node sends header values as Latin-1. If each UTF-8 byte becomes one Latin-1 character, the client receives UTF-8.
  return `299 - "${Buffer.from(quoted, 'utf8').toString('latin1')}"`;
}

function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters must not reach a header.
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, '').toWellFormed();
}
