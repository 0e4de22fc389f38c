import { randomBytes } from 'node:crypto';

/**
 * Secrets that are sent on purpose, to look for them afterwards wherever nothing of them may be. Each is random text,
 * which no compression shortens: where it was kept, its bytes stand.
 */
export class Canaries {
  readonly #needles = new Map<string, string>();

  /** A new one, good enough for an access key: 40 letters and digits. */
  make(label: string): string {
    const text = randomBytes(60)
      .toString('base64')
      .replace(/[^A-Za-z0-9]/g, '')
      .slice(0, 40);
    this.note(label, text);
    return text;
  }

  /** One that the server made itself. */
  note(label: string, secret: string): void {
    for (const needle of formsOf(secret)) this.#needles.set(needle, label);
  }

  /** What stands in the text, by the labels: in clear, in hexadecimal, in base64. */
  in(text: string): string[] {
    const found = [...this.#needles].filter(([needle]) => text.includes(needle)).map(([, label]) => label);
    return [...new Set(found)];
  }
}

/** A piece from the middle is enough to know it again, and is found too where the ends are cut. */
function formsOf(secret: string): string[] {
  const inBase64 = [0, 1, 2].map((shift) =>
    Buffer.from(`${'-'.repeat(shift)}${secret}`)
      .toString('base64')
      .slice(8, 28),
  );
  return [secret.slice(6, 20), Buffer.from(secret).toString('hex').slice(8, 32), ...inBase64];
}
