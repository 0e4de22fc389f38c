/** Reads a value that the server wrote into the page when serving it. */
function metaContent(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';
}

/** The nonce of style elements; the content security policy allows no others. */
export const styleNonce = metaContent('style-nonce');

/** The first path segment of every API; the server's default is `kubernetes`. */
export const apiPrefix = metaContent('api-prefix');
