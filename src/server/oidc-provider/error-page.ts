import type { Reply } from '../../http/reply.ts';

/**
 * Returns a page for a sign-in request that must not be answered with a redirect. `problem` contains no text of the
 * request.
 */
export function errorPage(problem: string): Reply {
  const text = problem.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return {
    status: 400,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    },
    body: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Cannot sign in · Flotilla</title></head>
<body>
<h1>Cannot sign in to the app</h1>
<p>${text}</p>
<p>Ask the administrator of the app to compare its settings with auth.oidcProvider of this server.</p>
</body>
</html>
`,
  };
}
