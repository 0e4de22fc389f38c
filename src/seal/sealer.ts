/** Encrypts secrets that the server stores. No other module has access to the seal key. */
export interface Sealer {
  /** Encrypts a text with AES-256-GCM and a new nonce. `open` must be called with the same `purpose`. */
  seal(purpose: string, clear: string): string;
  /**
   * Decrypts a sealed text. Throws if the text was sealed with another key or for another purpose, or if it was
   * modified.
   */
  open(purpose: string, sealed: string): string;
  /** Returns the HMAC-SHA-256 of a text in base64url. Equal inputs give equal hashes; a hash cannot be reversed. */
  hash(purpose: string, text: string): string;
}
