/**
 * The content security policy of the console page: scripts, styles and connections only from this server. Scripts are
 * files; styles are files, or elements with the nonce of this load.
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

/** The headers of every console response. */
export const fileHeaders: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
};

const deniedFeatures = ['camera', 'display-capture', 'geolocation', 'microphone', 'payment', 'usb'];

export function pageHeaders(styleNonce: string): Record<string, string> {
  return {
    ...fileHeaders,
    'content-type': 'text/html; charset=utf-8',
    vary: 'Accept',
    // No ETag either: an old page with a new nonce in its headers would lose its styles.
    'cache-control': 'no-cache',
    'content-security-policy': contentSecurityPolicy(styleNonce),
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': deniedFeatures.map((power) => `${power}=()`).join(', '),
    'x-frame-options': 'DENY',
  };
}
