/**
 * The hop-by-hop headers of RFC 9110, section 7.6.1, which a proxy must not forward. The value of a `connection` header
 * may name further hop-by-hop headers.
 */
export const hopByHopHeaders: readonly string[] = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
];
