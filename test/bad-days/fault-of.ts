import type { Sent } from './send-corpus.ts';

/** What is wrong with an answer to bad input; nothing if it is one that a client can live with. */
export function faultOf({ request, answer }: Sent): string | undefined {
  const { status, body, headers } = answer;
  if (status === 0) return request.mayBeDropped === true ? undefined : 'no answer';
  if (status < 400) return request.refused ? `accepted with ${status}` : undefined;
  if (status >= 500 && status !== 501 && !isAsked(answer, request)) return `answered with ${status}: ${body}`;
  if (request.method === 'HEAD') return undefined;
  const text = body.toString();
  const type = headers.get('content-type');
  if (type === 'application/yaml') return /^kind: Status$/m.test(text) ? undefined : `no Status: ${text}`;
  return type === 'application/json' && isWholeStatus(text, status)
    ? undefined
    : `${status} with no whole Status as ${type}: ${text.slice(0, 300)}`;
}

/** What Kubernetes itself answers with 504: a revision that is yet to come, and a client that wants to wait no longer. */
function isAsked({ status, body }: Sent['answer'], { target }: Sent['request']): boolean {
  return status === 504 && (target.includes('timeout=') || body.includes('Too large resource version'));
}

function isWholeStatus(text: string, code: number): boolean {
  const parsed: Record<string, unknown> = JSON.parse(text);
  const words = [parsed.message, parsed.reason];
  const isSaid = words.every((word) => typeof word === 'string' && word !== '');
  return isSaid && parsed.kind === 'Status' && parsed.status === 'Failure' && parsed.code === code;
}
