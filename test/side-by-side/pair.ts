import { eventually } from '../bad-days/eventually.ts';
import { type Difference, type Exchange, sentOf } from './difference.ts';
import { describeField, fieldDifferences } from './field-differences.ts';
import { type NormalizedResponse, normalizeResponse } from './normalized-response.ts';
import type { Received, Side, SideRequest } from './side.ts';

/** A request for both servers: either identical, or computed for each server from its earlier responses. */
export type PairRequest = SideRequest | ((side: Side) => SideRequest);

export interface SendOptions {
  /**
   * Keeps each server's response under this name, so the test can change the object and send it back. Only successful
   * responses are kept.
   */
  readonly keepAs?: string;
  /** The paths of fields that always differ between two servers, such as the age of an object. */
  readonly ignoredFields?: RegExp;
  /** True if the response is a watch: one event per line, until the server ends it. */
  readonly isStream?: boolean;
}

/** Sends the same requests to kube-apiserver and to this server. Every difference that is not listed is a problem. */
export class Pair {
  /** The number of compared requests so far. */
  count = 0;
  /** The number of times that each listed difference occurred. */
  readonly met = new Map<string, number>();
  readonly #differences: readonly Difference[];
  #sides: readonly [theirs: Side, ours: Side] | undefined;
  #problems: string[] = [];

  constructor(differences: readonly Difference[]) {
    this.#differences = differences;
  }

  connect(theirs: Side, ours: Side): void {
    this.#sides = [theirs, ours];
  }

  get sides(): readonly [theirs: Side, ours: Side] {
    if (this.#sides === undefined) throw new Error('the two servers have not been started');
    return this.#sides;
  }

  /** Sends a request to both servers without comparing the responses, to prepare later requests. Both must succeed. */
  async prepare(request: PairRequest, { keepAs }: SendOptions = {}): Promise<void> {
    for (const side of this.sides) {
      const received = await side.send(requestFor(request, side));
      if (received.status >= 300) throw new Error(`could not prepare: ${received.status} ${received.text}`);
      if (keepAs !== undefined) side.keep(keepAs, received);
    }
  }

  /**
   * Repeats a request on each server until the response matches the pattern, because the caches of a server may not yet
   * contain a new object.
   */
  async waitForResponse(request: PairRequest, pattern: RegExp): Promise<void> {
    for (const side of this.sides) {
      await eventually(
        10,
        () => side.send(requestFor(request, side)),
        ({ text }) => pattern.test(text),
      );
    }
  }

  async send(request: PairRequest, options: SendOptions = {}): Promise<readonly [Received, Received]> {
    const [theirs, ours] = this.sides;
    const answers = await Promise.all([theirs.send(requestFor(request, theirs)), ours.send(requestFor(request, ours))]);
    this.compare(request, answers, options);
    return answers;
  }

  /** Sends several slow read requests concurrently. */
  async sendAll(requests: readonly PairRequest[], options: SendOptions = {}): Promise<void> {
    const [theirs, ours] = this.sides;
    const all = await Promise.all(
      requests.map((request) =>
        Promise.all([theirs.send(requestFor(request, theirs)), ours.send(requestFor(request, ours))]),
      ),
    );
    for (const [at, answers] of all.entries()) this.compare(requests[at] ?? { path: '' }, answers, options);
  }

  /** Opens a stream on both sides, runs `act`, and compares the received events. */
  async during(request: PairRequest, act: () => Promise<void>, options: SendOptions = {}): Promise<void> {
    const [theirs, ours] = this.sides;
    const opened = await Promise.all([theirs.open(requestFor(request, theirs)), ours.open(requestFor(request, ours))]);
    await act();
    const answers = await Promise.all([opened[0].received, opened[1].received]);
    this.compare(request, answers, { isStream: true, ...options });
  }

  /** Compares two values that were extracted from responses. */
  compareValues(what: string, theirs: unknown, ours: unknown): void {
    this.#judge({ path: what }, { status: 200, headers: {}, body: theirs }, { status: 200, headers: {}, body: ours });
  }

  compare(request: PairRequest, answers: readonly [Received, Received], options: SendOptions = {}): void {
    const [theirs, ours] = this.sides;
    const sent = requestFor(request, ours);
    const generateName = /"generateName":"([^"]*)"/.exec(sentOf(sent))?.[1];
    const taken = (side: Side, received: Received) => {
      side.tokens.begin(this.count);
      if (options.keepAs !== undefined && received.status < 300) side.keep(options.keepAs, received);
      return normalizeResponse(received, { tokens: side.tokens, isStream: options.isStream ?? false, generateName });
    };
    this.#judge(sent, taken(theirs, answers[0]), taken(ours, answers[1]), options.ignoredFields);
  }

  /** Returns the unlisted differences since the last call. */
  takeProblems(): string[] {
    const problems = this.#problems;
    this.#problems = [];
    return problems;
  }

  #judge(request: SideRequest, theirs: NormalizedResponse, ours: NormalizedResponse, apart?: RegExp): void {
    this.count += 1;
    const exchange: Exchange = { request, theirs, ours };
    const unexplained = fieldDifferences(theirs, ours).filter((field) => {
      if (apart?.test(field.path)) return false;
      // A status of 500 or more from this server is always a problem if kube-apiserver responds with another status.
      if (ours.status >= 500 && ours.status !== theirs.status) return true;
      const difference = this.#differences.find((one) => one.explains(field, exchange));
      if (difference === undefined) return true;
      this.met.set(difference.id, (this.met.get(difference.id) ?? 0) + 1);
      return false;
    });
    if (unexplained.length === 0) return;
    // If the status differs, the bodies are different documents, so only the messages are shown.
    const statusDiffers = unexplained.some(({ path }) => path === 'status');
    const shown = unexplained.filter(({ path }) => !statusDiffers || path === 'status' || path === 'body.message');
    this.#problems.push([describeRequest(request), ...shown.slice(0, 6).map(describeField)].join('\n    '));
  }
}

function requestFor(request: PairRequest, side: Side): SideRequest {
  return typeof request === 'function' ? request(side) : request;
}

function describeRequest({ method = 'GET', path, headers, body, json }: SideRequest): string {
  const sent = body ?? (json === undefined ? '' : JSON.stringify(json));
  const headerText = headers === undefined ? '' : ` ${JSON.stringify(headers)}`;
  return `${method} ${path.slice(0, 300)}${headerText} ${sent.slice(0, 300)}`.trimEnd();
}
