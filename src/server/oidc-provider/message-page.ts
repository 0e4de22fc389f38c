import type { Reply } from '../../http/reply.ts';

export interface MessagePage {
  readonly title: string;
  readonly heading: string;
  readonly paragraphs: readonly string[];
}

/** Returns a page that loads nothing and links to nothing. The texts are escaped. */
export function messagePage(status: number, { title, heading, paragraphs }: MessagePage): Reply {
  return {
    status,
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
<head><meta charset="utf-8"><title>${escaped(title)} · Flotilla</title></head>
<body>
<h1>${escaped(heading)}</h1>
${paragraphs.map((text) => `<p>${escaped(text)}</p>`).join('\n')}
</body>
</html>
`,
  };
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
