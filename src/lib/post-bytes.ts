import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { errorCode } from './private-file.ts';

export interface Post {
  /** An `http` or `https` URL that an administrator has chosen. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The TLS options of the connection, in PEM. */
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  /** The time limit for the whole request, in milliseconds. */
  readonly milliseconds: number;
  readonly signal: AbortSignal;
}

export interface PostResponse {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** The first bytes of the body, up to `maxResponseBytes`. */
  readonly body: Uint8Array;
}

/** Thrown if there is no response. The message contains no header and nothing that the target sent. */
export class PostError extends Error {
  override readonly name = 'PostError';
}

const maxResponseBytes = 64 * 1024;

/**
 * Sends a POST request on a new connection to a system that an administrator has configured. Redirects are not
 * followed. The response is read completely, because the target may still be working until the response ends. Rejects
 * with PostError.
 */
export async function postBytes({ url, headers, body, tls, milliseconds, signal }: Post): Promise<PostResponse> {
  const send = url.protocol === 'http:' ? httpRequest : httpsRequest;
  const timeout = AbortSignal.timeout(milliseconds);
  return await new Promise((resolve, reject) => {
    const fail = (error: unknown) => reject(timeout.aborted ? timeoutError(milliseconds) : connectionError(error));
    const options = {
      method: 'POST',
      headers: { ...headers, 'content-length': body.length },
      agent: false,
      signal: AbortSignal.any([signal, timeout]),
      ...tls,
    };
    const sent: ClientRequest = send(url, options, (response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        if (size < maxResponseBytes) chunks.push(chunk.subarray(0, maxResponseBytes - size));
        size += chunk.length;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
      response.on('error', fail);
    });
    sent.on('error', fail);
    sent.end(body);
  });
}

/**
 * Returns an error with only the code of the original error. The message of the original error could contain a header.
 */
function connectionError(error: unknown): PostError {
  return new PostError(`the connection failed (${errorCode(error) ?? 'unknown error'})`);
}

function timeoutError(milliseconds: number): PostError {
  return new PostError(`the target did not respond within ${milliseconds / 1_000} seconds`);
}
