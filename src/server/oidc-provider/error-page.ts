import type { Reply } from '../../http/reply.ts';
import { messagePage } from './message-page.ts';

export interface ErrorPageTexts {
  readonly title: string;
  readonly heading: string;
}

const signInTexts: ErrorPageTexts = { title: 'Cannot sign in', heading: 'Cannot sign in to the app' };

/**
 * Returns an error page for a request that must not be answered with a redirect. `problem` must contain no text of the
 * request. `texts` defaults to the texts for a sign-in.
 */
export function errorPage(problem: string, texts: ErrorPageTexts = signInTexts): Reply {
  const advice = 'Ask the administrator of the app to compare its settings with auth.oidcProvider of this server.';
  return messagePage(400, { ...texts, paragraphs: [problem, advice] });
}
