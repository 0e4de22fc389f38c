/** What the server wrote into the page for this very load. */
function fact(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';
}

/** Style elements that carry it are allowed by the page's policy, no others. */
export const styleNonce = fact('style-nonce');

/** `kubernetes`, unless the server is told otherwise: the first part of every path of an API. */
export const apiPrefix = fact('api-prefix');
