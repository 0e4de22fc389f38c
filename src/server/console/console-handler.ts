import { randomBytes } from 'node:crypto';
import { apiWord } from '../../api/naming.ts';
import { pathNotFound, StatusError } from '../../api/status.ts';
import type { Exchange, Handler } from '../../http/exchange.ts';
import { parseAccept } from '../../http/negotiate/media-type.ts';
import type { Reply } from '../../http/reply.ts';
import { pathSegments, rawPath } from '../../http/request/path-segments.ts';
import { createCompressor } from './compressed-file.ts';
import type { ConsoleFile, ConsoleFiles } from './console-files.ts';
import { fileHeaders, pageHeaders } from './page-headers.ts';

export interface ConsoleHandlerOptions {
  /**
   * Reads the files of the console; `undefined` if the console is not built. Called on the first request, because many
   * servers never serve the console.
   */
  read(): Promise<ConsoleFiles | undefined>;
  readonly apiPrefix: string;
}

const assets = '/assets/';

/**
 * Serves the console on every path that no other handler serves. Returns a console file, or the console page if the
 * request accepts HTML; the page itself interprets the path. All other requests result in a 404 response.
 */
export function consoleHandler({ read, apiPrefix }: ConsoleHandlerOptions): Handler {
  const pack = createCompressor();
  let known: ConsoleFiles | undefined;
  let reading: Promise<ConsoleFiles | undefined> | undefined;
  const readOnce = async (): Promise<ConsoleFiles | undefined> => {
    if (known !== undefined) return known;
    // A failure is not cached, because the console may be built or repaired later.
    reading ??= read().finally(() => {
      reading = undefined;
    });
    known = await reading;
    return known;
  };
  return async (exchange) => {
    const { method, headers, url } = exchange.request;
    const path = rawPath(url);
    // Throws 400 if the path cannot be decoded, as the APIs do.
    pathSegments(path);
    if (method !== 'GET' && method !== 'HEAD') throw pathNotFound();
    const files = await readOnce();
    const file = files?.files.get(path);
    if (file !== undefined) {
      const packed = await pack(file, headers['accept-encoding'] ?? '');
      return fileReply(exchange, file, path.startsWith(assets), packed);
    }
    if (!wantsPage(path, headers.accept)) throw pathNotFound();
    if (files === undefined) throw notBuilt();
    return pageReply(files.page, apiPrefix);
  };
}

/**
 * True if the request accepts the HTML page. False for an asset path: a missing asset gets 404, because a script
 * request must not receive HTML.
 */
function wantsPage(path: string, accept: string | undefined): boolean {
  if (path.startsWith(assets) || path.includes('//') || path.includes('\\')) return false;
  const wanted = accept === undefined ? [] : parseAccept(accept);
  if (wanted.some(({ type, subtype }) => type === 'text' && subtype === 'html')) return true;
  return path === '/' && (accept === undefined || wanted.some(({ type }) => type === '*'));
}

function fileReply(
  { request: { headers } }: Exchange,
  { bytes, type, etag }: ConsoleFile,
  isImmutable: boolean,
  packed: { readonly encoding: string; readonly bytes: Uint8Array } | undefined,
): Reply {
  const cached = {
    ...fileHeaders,
    etag,
    vary: 'Accept-Encoding',
    // Browsers may cache a file forever if its name contains a hash of its content.
    'cache-control': isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
  };
  if (headers['if-none-match'] === etag) return { status: 304, headers: cached };
  // The sandbox protects files that a browser can open as documents, such as SVG icons.
  const shown = { ...cached, 'content-type': type, 'content-security-policy': "default-src 'none'; sandbox" };
  if (packed === undefined) return { status: 200, headers: shown, body: bytes };
  return { status: 200, headers: { ...shown, 'content-encoding': packed.encoding }, body: packed.bytes };
}

function pageReply(page: string, apiPrefix: string): Reply {
  const nonce = randomBytes(16).toString('base64');
  const body = page
    .replaceAll('__STYLE_NONCE__', nonce)
    .replaceAll('__API_PREFIX__', apiPrefix)
    .replaceAll('__API_WORD__', apiWord);
  return { status: 200, headers: pageHeaders(nonce), body };
}

function notBuilt(): StatusError {
  const { status } = pathNotFound();
  const message = 'the web console is not built: run "npm run build"';
  return new StatusError({ ...status, message });
}
