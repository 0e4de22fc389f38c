import type { SignInProblem } from '../../../api/sign-in.ts';
import type { Reply } from '../../../http/reply.ts';

/** The error of a sign-in that failed. `why` is for administrators. */
export class SignInError extends Error {
  readonly problem: SignInProblem;

  constructor(problem: SignInProblem, why: string) {
    super(why);
    this.name = 'SignInError';
    this.problem = problem;
  }
}

/** The headers of all redirects of a sign-in. Their URLs must not be stored, and not be sent to other servers. */
export const redirectHeaders = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

/** Sends the browser to the sign-in page, which explains the problem. */
export function problemReply(problem: SignInProblem, connector: string, cookies: string[] = []): Reply {
  const query = new URLSearchParams({ problem, connector });
  return {
    status: 303,
    headers: {
      ...redirectHeaders,
      location: `/sign-in?${query}`,
      ...(cookies.length === 0 ? {} : { 'set-cookie': cookies }),
    },
  };
}

const disabledPage = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Sign-in is not available</title></head>
<body>
<h1>Sign-in is not available</h1>
<p>The web console of this server is disabled (console.enabled), so browsers cannot sign in. Use an access key.</p>
</body>
</html>
`;

/** The page of a server that does not accept sessions of browsers. */
export function consoleDisabledReply(): Reply {
  return {
    status: 404,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
    },
    body: disabledPage,
  };
}
