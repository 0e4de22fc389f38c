import { badRequest, tooLarge, unsupportedMediaType } from '../api/status.ts';
import type { IncomingRequest } from './exchange.ts';

/** What Kubernetes allows for any body it decodes (rule REQ-20). */
export const defaultBodyLimit = 3_145_728;

/** The whole body, or a 413 as soon as it is known to be too long. */
export async function readBody(request: IncomingRequest, limit: number = defaultBodyLimit): Promise<Uint8Array> {
  // Kubernetes never unpacks bodies; taking packed ones would let a small request ask for endless memory.
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding !== '' && encoding !== 'identity') {
    throw unsupportedMediaType('the body of the request has a content encoding; bodies are taken as they are only');
  }
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(`limit is ${limit}`);
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of request.body) {
      length += chunk.byteLength;
      if (length > limit) throw tooLarge(`limit is ${limit}`);
      chunks.push(chunk);
    }
  } catch (error) {
    if (length > limit) throw error;
    throw badRequest('the body of the request could not be read to its end');
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, length);
}
