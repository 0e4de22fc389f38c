import { badRequest, requestTooLarge, StatusError, unsupportedMediaType } from '../../api/status.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import type { IncomingRequest, InFlightSlot, RequestBody } from '../exchange.ts';

/**
 * Size limit of a request body in bytes. Kubernetes has the same limit for every body that it decodes (rule REQ-20).
 */
export const defaultBodyLimit = 3_145_728;

/**
 * The maximum number of parts in which a body may arrive. Processing a part takes a microsecond, however short the part
 * is. A body of the maximum size has this many parts if their average length is 32 bytes.
 */
const maxParts = 100_000;

/** The members of an exchange that are needed to read the request body. */
export interface BodySource {
  readonly request: IncomingRequest;
  readonly inFlightSlot?: Pick<InFlightSlot, 'receive'> | undefined;
}

/**
 * Reads the request body. Returns the body without a promise if all of it has already been received. Throws 413 if the
 * body is too long.
 */
export function readBody(source: BodySource, limit: number = defaultBodyLimit): MaybePromise<Uint8Array> {
  const { request, inFlightSlot } = source;
  // Like Kubernetes, do not decompress bodies: a small compressed body could need an unlimited amount of memory.
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding !== '' && encoding !== 'identity') {
    throw unsupportedMediaType('the request body has a Content-Encoding, which is not supported; send it uncompressed');
  }
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > limit) throw requestTooLarge(`limit is ${limit}`);
  const whole = request.body.takeBuffered?.(announced);
  if (whole !== undefined) {
    if (whole.byteLength > limit) throw requestTooLarge(`limit is ${limit}`);
    return whole;
  }
  if (inFlightSlot === undefined) return collect(request.body, limit, () => {});
  return inFlightSlot.receive((report) => collect(request.body, limit, report));
}

async function collect(body: RequestBody, limit: number, report: (bytes: number) => void): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    const take = (chunk: Uint8Array) => {
      length += chunk.byteLength;
      if (length > limit) throw requestTooLarge(`limit is ${limit}`);
      if (chunks.length === maxParts)
        throw badRequest(`the request body arrives in more than ${maxParts} parts; send longer chunks`);
      report(chunk.byteLength);
      chunks.push(chunk);
    };
    if (body.forEachChunk !== undefined) await body.forEachChunk(take);
    else for await (const chunk of body) take(chunk);
  } catch (error) {
    if (error instanceof StatusError) throw error;
    throw badRequest('the request body ended early or could not be read');
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, length);
}
