import type { MessagePort } from 'node:worker_threads';
import { isPromise } from '../maybe-promise.ts';
import { buffersToTransfer } from './transferred-buffers.ts';

/** The methods that one side of a link offers, by name. Their parameters and results are copied to the other side. */
export type LinkMethods<Methods> = { readonly [Name in keyof Methods]: (parameter: never) => unknown };

type ParameterOf<Method> = Method extends (parameter: infer Parameter) => unknown ? Parameter : never;
type ResultOf<Method> = Method extends (parameter: never) => infer Result ? Awaited<Result> : never;

/** Converts errors to values that can be copied to another thread, and back. */
export interface ErrorCodec {
  encode(error: unknown): unknown;
  decode(encoded: unknown): Error;
}

export interface MessageLinkOptions<Local> {
  readonly port: MessagePort;
  /** The methods that the other side may call. */
  readonly methods: Local;
  readonly errors: ErrorCodec;
  /** Called once, after the other side or this side has closed the link, or the other thread has ended. */
  onClose?(): void;
}

/** Rejects calls whose result is unknown, because the link was closed or the other thread ended. */
export class LinkClosedError extends Error {
  constructor() {
    super('the connection to the other thread was closed');
    this.name = 'LinkClosedError';
  }
}

/**
 * A message of a link. Each call has a number. The message with the result or error of the call has the number of the
 * call.
 */
type Message =
  | readonly ['call', number, string, unknown]
  | readonly ['send', string, unknown]
  | readonly ['result', number, unknown]
  | readonly ['error', number, unknown];

/** Messages that were sent in the same iteration of the event loop. They are copied and received together. */
type Batch = readonly Message[];

/** The number of messages after which a batch is sent before the iteration of the event loop ends. */
const messagesPerBatch = 32;

interface PendingCall {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/**
 * A connection between two threads, on which each side calls methods of the other. Messages arrive in the order in
 * which they were sent, so a message that a method sends before it returns arrives before the result of the method.
 * Messages are sent in batches, at the end of each iteration of the event loop, because one wake-up for many messages
 * leaves the receiving thread more time for its work.
 */
export class MessageLink<Local extends LinkMethods<Local>, Remote extends LinkMethods<Remote>> {
  readonly #port: MessagePort;
  readonly #methods: Local;
  readonly #errors: ErrorCodec;
  readonly #pending = new Map<number, PendingCall>();
  #outgoing: Message[] = [];
  #lastCall = 0;
  #isClosed = false;

  constructor({ port, methods, errors, onClose }: MessageLinkOptions<Local>) {
    this.#port = port;
    this.#methods = methods;
    this.#errors = errors;
    port.on('message', (batch: Batch) => {
      for (const message of batch) this.#receive(message);
    });
    port.on('close', () => {
      this.#isClosed = true;
      for (const { reject } of this.#pending.values()) reject(new LinkClosedError());
      this.#pending.clear();
      onClose?.();
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Calls a method of the other side. Rejects with the error that the method throws, or with a LinkClosedError. */
  call<Name extends keyof Remote & string>(
    name: Name,
    parameter: ParameterOf<Remote[Name]>,
  ): Promise<ResultOf<Remote[Name]>> {
    if (this.#isClosed) return Promise.reject(new LinkClosedError());
    const number = ++this.#lastCall;
    return new Promise((resolve, reject) => {
      this.#pending.set(number, { resolve: resolve as PendingCall['resolve'], reject });
      this.#post(['call', number, name, parameter]);
    });
  }

  /** Calls a method of the other side without waiting for it. Has no effect if the link is closed. */
  send<Name extends keyof Remote & string>(name: Name, parameter: ParameterOf<Remote[Name]>): void {
    this.#post(['send', name, parameter]);
  }

  /** Closes the link. Calls of both sides that have no result yet are rejected. */
  close(): void {
    this.#flush();
    this.#port.close();
  }

  #receive(message: Message): void {
    switch (message[0]) {
      case 'call':
        this.#answer(message[1], message[2], message[3]);
        return;
      case 'send':
        this.#run(message[1], message[2]);
        return;
      case 'result':
        this.#take(message[1])?.resolve(message[2]);
        return;
      case 'error':
        this.#take(message[1])?.reject(this.#errors.decode(message[2]));
    }
  }

  #take(number: number): PendingCall | undefined {
    const call = this.#pending.get(number);
    this.#pending.delete(number);
    return call;
  }

  #answer(number: number, name: string, parameter: unknown): void {
    const fail = (error: unknown) => this.#post(['error', number, this.#errors.encode(error)]);
    const succeed = (result: unknown) => this.#post(['result', number, result]);
    try {
      const result = this.#run(name, parameter);
      if (isPromise(result)) result.then(succeed, fail);
      else succeed(result);
    } catch (error) {
      fail(error);
    }
  }

  #run(name: string, parameter: unknown): unknown {
    const methods = this.#methods as unknown as Readonly<Record<string, (parameter: unknown) => unknown>>;
    return methods[name]?.(parameter);
  }

  #post(message: Message): void {
    if (this.#isClosed) return;
    this.#outgoing.push(message);
    if (this.#outgoing.length === 1) setImmediate(() => this.#flush());
    else if (this.#outgoing.length === messagesPerBatch) this.#flush();
  }

  #flush(): void {
    const batch = this.#outgoing;
    if (batch.length === 0 || this.#isClosed) return;
    this.#outgoing = [];
    try {
      this.#port.postMessage(batch, batch.flatMap(buffersOf));
    } catch {
      // One value in the batch cannot be copied. If the messages are sent one by one, only the message with this value
      // fails.
      for (const message of batch) this.#postAlone(message);
    }
  }

  #postAlone(message: Message): void {
    try {
      this.#port.postMessage([message], buffersOf(message));
    } catch (error) {
      if (message[0] === 'call') this.#take(message[1])?.reject(error as Error);
      else if (message[0] === 'result') this.#port.postMessage([['error', message[1], this.#errors.encode(error)]]);
      else throw error;
    }
  }
}

const noBuffers: readonly ArrayBuffer[] = [];

/** Returns the buffers in the parameter or the result of a message that move to the other thread. */
function buffersOf(message: Message): readonly ArrayBuffer[] {
  return buffersToTransfer(message[message.length - 1]) ?? noBuffers;
}
