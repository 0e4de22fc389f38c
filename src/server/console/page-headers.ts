/**
 * What a browser may do on a page of the console: run and show what this server sends, talk to this server, and nothing
 * else. Scripts are files; styles are files, or elements with the nonce of this very load.
 */
function contentSecurityPolicy(styleNonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${styleNonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Of everything that is served of the console. */
export const fileHeaders: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
};

const powers = ['camera', 'display-capture', 'geolocation', 'microphone', 'payment', 'usb'];

export function pageHeaders(styleNonce: string): Record<string, string> {
  return {
    ...fileHeaders,
    'content-type': 'text/html; charset=utf-8',
    vary: 'Accept',
    // No tag either: an old page with a new nonce in its headers would show without its styles.
    'cache-control': 'no-cache',
    'content-security-policy': contentSecurityPolicy(styleNonce),
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': powers.map((power) => `${power}=()`).join(', '),
    'x-frame-options': 'DENY',
  };
}
