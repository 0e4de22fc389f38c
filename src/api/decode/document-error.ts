/** A body that is no document at all. The message is the decoder's own, without what the answer puts around it. */
export class DocumentError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DocumentError';
  }
}
