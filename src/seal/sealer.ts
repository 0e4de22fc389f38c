/** Secrets at rest. The only room that knows the seal key. */
export interface Sealer {
  /** AES-256-GCM with a fresh nonce. `purpose` is bound in: a value sealed for one place does not open in another. */
  seal(purpose: string, clear: string): string;
  /** Throws if the text was not sealed by this key for this purpose, or was touched. */
  open(purpose: string, sealed: string): string;
  /** HMAC-SHA-256, base64url: the same text gives the same hash, nothing gives the text back. */
  hash(purpose: string, text: string): string;
}
