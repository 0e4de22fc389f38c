/** Hop-by-hop headers (RFC 9110, 7.6.1), which are never forwarded; the `connection` header lists more of them. */
export const connectionHeaders: readonly string[] = [
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
