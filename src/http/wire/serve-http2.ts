import { constants, type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { RequestEnd } from '../request/request-end.ts';
import { adaptHttp2Stream } from './adapt-request.ts';
import { refuseExpectation, refuseLargeHeaders } from './client-error.ts';
import { Http2Response } from './http2-response.ts';
import { requestEndedError, type ServingContext, serveRequest } from './serve-request.ts';

/** Serves an HTTP/2 request. In `rawHeaders`, each name is followed by its value. */
export function serveHttp2(
  context: ServingContext,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  rawHeaders: readonly string[],
): void {
  if (headers[':method'] === 'CONNECT') {
    stream.on('error', () => {});
    if (!stream.destroyed) stream.respond({ ':status': 405 }, { endStream: true });
    return;
  }
  const connection = stream.session as ServerHttp2Session | undefined;
  const { source, done } = context.live.streamRequestBegan(connection);
  const end = new RequestEnd();
  let gone = false;
  // Use `on` instead of `once`: removing a listener is slow, and the listeners are freed together with the stream.
  stream.on('close', () => {
    gone = true;
    end.end(requestEndedError);
  });
  // If a client resets its stream without an error code, Node keeps the stream half open as long as data is pending.
  stream.on('aborted', () => stream.destroy());
  // Handles a response that is complete before the client has sent the whole request body. For HTTP/1.1, Node reads the
  // rest of the body itself. An HTTP/2 stream must be closed here, because it would stay open until the client closes
  // it.
  stream.on('finish', () => {
    if (stream.closed || stream.endAfterHeaders || stream.readableEnded) return;
    if (stream.state.remoteClose !== 0) return;
    // End the request first. Otherwise, a handler that still reads the body could mistake the close for the end of the
    // body.
    end.end(requestEndedError);
    // Deferred, because Node can close the stream only after this event.
    setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR));
  });
  stream.on('error', () => end.end(requestEndedError));
  const { expect } = headers;
  const isAwaited = expect === '100-continue' && !stream.destroyed && !stream.closed;
  if (isAwaited) stream.additionalHeaders({ ':status': constants.HTTP_STATUS_CONTINUE });
  const refusal = refusalOf(rawHeaders, context.limits.headerBytes, expect);
  const check = () => {
    if (refusal !== undefined) throw refusal;
  };
  const request = adaptHttp2Stream({ stream, headers, rawHeaders, source }, end);
  const response = new Http2Response(stream, end);
  serveRequest(context, request, response, { connection, end, check, isGone: () => gone, isLast: false, done });
}

/**
 * Returns the error for a request that must be rejected because of its headers. The headers are checked in a separate
 * function, because a stream listener that references them would keep them in memory during a whole watch.
 */
function refusalOf(rawHeaders: readonly string[], maxBytes: number, expect: string | undefined): unknown {
  try {
    refuseLargeHeaders(rawHeaders, maxBytes);
    if (expect !== undefined && expect !== '100-continue') refuseExpectation(expect);
    return undefined;
  } catch (error) {
    return error;
  }
}
