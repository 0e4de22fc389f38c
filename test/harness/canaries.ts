import { randomBytes } from 'node:crypto';

/**
 * Secrets that a test sends on purpose. Afterwards, the test searches all places that must not contain any part of a
 * secret. Each secret is random text that does not compress, so a search of stored bytes finds it.
 */
export class Canaries {
  readonly #needles = new Map<string, string>();

  /** Creates a canary in the form of an access key: 40 letters and digits. */
  make(label: string): string {
    const text = randomBytes(60)
      .toString('base64')
      .replace(/[^A-Za-z0-9]/g, '')
      .slice(0, 40);
    this.add(label, text);
    return text;
  }

  /** Registers a secret that the server created. */
  add(label: string, secret: string): void {
    for (const needle of formsOf(secret)) this.#needles.set(needle, label);
  }

  /** The labels of the canaries that the text contains: in plain text, hexadecimal or base64. */
  foundIn(text: string): string[] {
    const found = [...this.#needles].filter(([needle]) => text.includes(needle)).map(([, label]) => label);
    return [...new Set(found)];
  }
}

/**
 * Returns the search patterns for a secret. Each pattern encodes a piece from the middle of the secret, so a copy with
 * cut-off ends matches too.
 */
function formsOf(secret: string): string[] {
  const inBase64 = [0, 1, 2].map((shift) =>
    Buffer.from(`${'-'.repeat(shift)}${secret}`)
      .toString('base64')
      .slice(8, 28),
  );
  return [secret.slice(6, 20), Buffer.from(secret).toString('hex').slice(8, 32), ...inBase64];
}
