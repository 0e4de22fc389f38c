import { badRequest, StatusError, tooLarge, unsupportedMediaType } from '../api/status.ts';
import type { IncomingRequest, Place, RequestBody } from './exchange.ts';

/** What Kubernetes allows for any body it decodes (rule REQ-20). */
export const defaultBodyLimit = 3_145_728;

/** The part of an exchange that a body comes through. */
export interface BodySource {
  readonly request: IncomingRequest;
  readonly place?: Pick<Place, 'receive'> | undefined;
}

/** The whole body, or a 413 as soon as it is known to be too long. What has come already is given at once. */
export function readBody(source: BodySource, limit: number = defaultBodyLimit): Uint8Array | Promise<Uint8Array> {
  const { request, place } = source;
  // Kubernetes never unpacks bodies; taking packed ones would let a small request ask for endless memory.
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding !== '' && encoding !== 'identity') {
    throw unsupportedMediaType('the body of the request has a content encoding; bodies are taken as they are only');
  }
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > limit) throw tooLarge(`limit is ${limit}`);
  const whole = request.body.takeWhole?.(announced);
  if (whole !== undefined) {
    if (whole.byteLength > limit) throw tooLarge(`limit is ${limit}`);
    return whole;
  }
  if (place === undefined) return collect(request.body, limit, () => {});
  return place.receive((tell) => collect(request.body, limit, tell));
}

async function collect(body: RequestBody, limit: number, tell: (bytes: number) => void): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    const take = (chunk: Uint8Array) => {
      length += chunk.byteLength;
      if (length > limit) throw tooLarge(`limit is ${limit}`);
      tell(chunk.byteLength);
      chunks.push(chunk);
    };
    if (body.each !== undefined) await body.each(take);
    else for await (const chunk of body) take(chunk);
  } catch (error) {
    if (error instanceof StatusError) throw error;
    throw badRequest('the body of the request could not be read to its end');
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, length);
}
