import { constants, type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { RequestEnd } from '../request/request-end.ts';
import { adaptStream } from './adapt-request.ts';
import { refuseExpectation, refuseLargeHeaders } from './client-error.ts';
import { Http2Response } from './http2-response.ts';
import { requestEnded, type ServingContext, serveRequest } from './serve-request.ts';

/** Serves an HTTP/2 request. `rawHeaders` are the headers as received, names and values alternating. */
export function serveHttp2(
  context: ServingContext,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  rawHeaders: readonly string[],
): Promise<void> | undefined {
  if (headers[':method'] === 'CONNECT') {
    stream.on('error', () => {});
    if (!stream.destroyed) stream.respond({ ':status': 405 }, { endStream: true });
    return undefined;
  }
  const { source, done } = context.live.streamRequestBegan(stream.session as ServerHttp2Session | undefined);
  const end = new RequestEnd();
  let gone = false;
  // `on` also for one-time events: removing listeners from a stream is slow, and they are freed with the stream.
  stream.on('close', () => {
    gone = true;
    end.end(requestEnded);
  });
  // If a client resets its stream without an error, the stream stays half open while data waits to be written.
  stream.on('aborted', () => stream.destroy());
  // With HTTP/1.1, Node reads the rest of an unread body itself, within the request timeout. With HTTP/2, the server
  // must close the stream, or it stays open until the client closes it.
  stream.on('finish', () => {
    if (stream.closed || stream.endAfterHeaders || stream.readableEnded) return;
    if (stream.state.remoteClose !== 0) return;
    // Otherwise a handler that still reads would mistake the close for the end of the body.
    end.end(requestEnded);
    // Deferred, because closing waits for the event that is being emitted now.
    setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR));
  });
  stream.on('error', () => end.end(requestEnded));
  const { expect } = headers;
  const isAwaited = expect === '100-continue' && !stream.destroyed && !stream.closed;
  if (isAwaited) stream.additionalHeaders({ ':status': constants.HTTP_STATUS_CONTINUE });
  const check = () => {
    refuseLargeHeaders(rawHeaders, context.limits.headerBytes);
    if (expect !== undefined && expect !== '100-continue') refuseExpectation(expect);
  };
  const request = adaptStream({ stream, headers, rawHeaders, source }, end);
  const response = new Http2Response(stream, end);
  return serveRequest(context, request, response, { end, check, isGone: () => gone, isLast: false, done });
}
