/**
 * Returns the content security policy of the console page. Scripts, styles and connections must come from this server.
 * Inline scripts are not allowed. Inline style elements must have the nonce of this page load.
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
    // The response has no ETag. A cached page would contain an old nonce, so the browser would reject its styles
    // because the new header contains another nonce.
    'cache-control': 'no-cache',
    'content-security-policy': contentSecurityPolicy(styleNonce),
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': deniedFeatures.map((power) => `${power}=()`).join(', '),
    'x-frame-options': 'DENY',
  };
}
