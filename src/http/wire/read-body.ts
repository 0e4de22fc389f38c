import { badRequest, requestTooLarge, StatusError, unsupportedMediaType } from '../../api/status.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import type { IncomingRequest, InFlightSlot, RequestBody } from '../exchange.ts';

/** The limit of Kubernetes for any body that it decodes (rule REQ-20). */
export const defaultBodyLimit = 3_145_728;

/** The part of an exchange that provides the body. */
export interface BodySource {
  readonly request: IncomingRequest;
  readonly inFlightSlot?: Pick<InFlightSlot, 'receive'> | undefined;
}

/** Returns the whole body; throws 413 as soon as it is known to be too long. A buffered body is returned directly. */
export function readBody(source: BodySource, limit: number = defaultBodyLimit): MaybePromise<Uint8Array> {
  const { request, inFlightSlot } = source;
  // Kubernetes never decompresses bodies. Accepting compressed ones would let a small request take unbounded memory.
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
