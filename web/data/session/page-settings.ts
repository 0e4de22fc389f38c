/** Reads a setting that the server writes into the HTML page as a meta element. */
function metaContent(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';
}

/** The nonce for style elements. The content security policy blocks style elements without this nonce. */
export const styleNonce = metaContent('style-nonce');

/** The first path segment of every API. The default of the server is `kubernetes`. */
export const apiPrefix = metaContent('api-prefix');
