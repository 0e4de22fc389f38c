/** The prompt in progress: the promise that all waiting requests share, and the function that resolves it. */
interface Prompt {
  readonly answer: Promise<boolean>;
  resolve(isConfirmed: boolean): void;
}

const listeners = new Set<() => void>();
let prompt: Prompt | undefined;

function setPrompt(next: Prompt | undefined): void {
  prompt = next;
  for (const listener of listeners) listener();
}

/**
 * Asks the user to enter the password again if a request needs a recent login. The dialog in `PasswordPromptDialog` is
 * open as long as a request waits.
 */
export const passwordPrompt = {
  isOpen: (): boolean => prompt !== undefined,
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  /** Resolves to true when the user has signed in again, and to false if the user cancels. */
  ask(): Promise<boolean> {
    if (prompt !== undefined) return prompt.answer;
    const { promise, resolve } = withResolvers();
    setPrompt({ answer: promise, resolve });
    return promise;
  },
  /** Closes the prompt. Later calls for the same prompt have no effect. */
  finish(isConfirmed: boolean): void {
    prompt?.resolve(isConfirmed);
    setPrompt(undefined);
  },
};

function withResolvers(): { promise: Promise<boolean>; resolve(value: boolean): void } {
  let resolve: (value: boolean) => void = () => {};
  const promise = new Promise<boolean>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
