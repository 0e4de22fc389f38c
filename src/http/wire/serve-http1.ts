import type { IncomingMessage, ServerResponse } from 'node:http';
import { RequestEnd } from '../request/request-end.ts';
import { adaptRequest } from './adapt-request.ts';
import { hostHeaderProblem, refuseExpectation, refuseHost } from './client-error.ts';
import { limitDiscardedBody } from './limit-discarded-body.ts';
import { requestEndedError, type ServingContext, serveRequest } from './serve-request.ts';

/** Serves an HTTP/1.1 request, after all earlier requests on its connection have been served. */
export async function serveHttp1(
  context: ServingContext,
  message: IncomingMessage,
  response: ServerResponse,
  hasUnknownExpectation: boolean,
): Promise<void> {
  const turn = context.pipelinedRequests.waitForPrevious(message, response);
  if (turn !== undefined && !(await turn)) return;
  limitDiscardedBody(message, response);
  const { done } = context.live.requestBegan(message.socket);
  const end = new RequestEnd();
  let gone = false;
  response.once('close', () => {
    gone = true;
    end.end(requestEndedError);
  });
  response.on('error', () => end.end(requestEndedError));
  message.on('error', () => end.end(requestEndedError));
  const problem = hostHeaderProblem(message);
  const check = () => {
    refuseHost(problem);
    if (hasUnknownExpectation) refuseExpectation(message.headers.expect);
  };
  const isLast = problem !== undefined || message.headers.host === undefined;
  const request = adaptRequest(message, end);
  serveRequest(context, request, response, {
    connection: message.socket,
    end,
    check,
    isGone: () => gone,
    isLast,
    done,
  });
}
