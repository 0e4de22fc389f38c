/**
 * Thrown for a body that cannot be parsed. The message is the decoder's own; the response adds the expected kind to it.
 */
export class DocumentError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DocumentError';
  }
}
