import type { Sent } from './send-corpus.ts';

/** The defect of a response to bad input; `undefined` if the response is acceptable. */
export function responseDefect({ request, answer }: Sent): string | undefined {
  const { status, body, headers } = answer;
  if (status === 0) return request.mayBeDropped === true ? undefined : 'no answer';
  if (status < 400) return request.refused ? `accepted with ${status}` : undefined;
  if (status >= 500 && status !== 501 && !isExpectedTimeout(answer, request)) return `answered with ${status}: ${body}`;
  if (request.method === 'HEAD') return undefined;
  const text = body.toString();
  const type = headers.get('content-type');
  if (type === 'application/yaml') return /^kind: Status$/m.test(text) ? undefined : `no Status: ${text}`;
  return type === 'application/json' && isWholeStatus(text, status)
    ? undefined
    : `${status} with no whole Status as ${type}: ${text.slice(0, 300)}`;
}

/** The cases in which Kubernetes itself answers 504: a future revision, and a timeout that the client requested. */
function isExpectedTimeout({ status, body }: Sent['answer'], { target }: Sent['request']): boolean {
  return status === 504 && (target.includes('timeout=') || body.includes('Too large resource version'));
}

function isWholeStatus(text: string, code: number): boolean {
  const parsed: Record<string, unknown> = JSON.parse(text);
  const texts = [parsed.message, parsed.reason];
  const isComplete = texts.every((text) => typeof text === 'string' && text !== '');
  return isComplete && parsed.kind === 'Status' && parsed.status === 'Failure' && parsed.code === code;
}
