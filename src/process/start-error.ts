/** Why the program cannot do what it was asked: one clear line for the person who started it, and no stack. */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartError';
  }
}
