/** Thrown for a body that cannot be parsed. The message is that of the decoder; the response adds the expected kind. */
export class DocumentError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DocumentError';
  }
}
