/** A body that cannot be parsed. The message is the decoder's own, without the text that the response adds. */
export class DocumentError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DocumentError';
  }
}
