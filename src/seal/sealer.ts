/** Encrypts secrets at rest. The only module that has the seal key. */
export interface Sealer {
  /** AES-256-GCM with a fresh nonce. `purpose` is authenticated: a value sealed for one purpose opens for no other. */
  seal(purpose: string, clear: string): string;
  /** Throws if the text was not sealed with this key for this purpose, or was modified. */
  open(purpose: string, sealed: string): string;
  /** HMAC-SHA-256 in base64url. Deterministic, and not reversible. */
  hash(purpose: string, text: string): string;
}
