import { eventually } from '../bad-days/eventually.ts';
import { type Difference, type Exchange, sentOf } from './difference.ts';
import { describeField, fieldDifferences } from './field-differences.ts';
import { type NormalizedResponse, normalizeResponse } from './normalized-response.ts';
import type { Received, Side, SideRequest } from './side.ts';

/** A request that is the same for both, or one that is derived from a side's earlier responses. */
export type PairRequest = SideRequest | ((side: Side) => SideRequest);

export interface SendOptions {
  /** Keeps each side's response under this name, to send it back with changes; only on success. */
  readonly keepAs?: string;
  /** Paths of fields that differ between any two servers, such as the age of an object. */
  readonly ignoredFields?: RegExp;
  /** The response is a watch: one event per line, until the server ends it. */
  readonly isStream?: boolean;
}

/** kube-apiserver and this server, with the same requests. A difference that is not listed is a problem. */
export class Pair {
  /** The number of compared requests so far. */
  count = 0;
  /** How often each listed difference occurred. */
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

  /** Sends without comparing, to prepare the next requests; both must succeed. */
  async prepare(request: PairRequest, { keepAs }: SendOptions = {}): Promise<void> {
    for (const side of this.sides) {
      const received = await side.send(requestFor(request, side));
      if (received.status >= 300) throw new Error(`could not prepare: ${received.status} ${received.text}`);
      if (keepAs !== undefined) side.keep(keepAs, received);
    }
  }

  /** Repeats a request on each server until the response matches. Caches of a server may not have a new object yet. */
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

  /** The differences since the last call. */
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
      // A client error must never become an internal server error.
      if (ours.status >= 500 && ours.status !== theirs.status) return true;
      const difference = this.#differences.find((one) => one.explains(field, exchange));
      if (difference === undefined) return true;
      this.met.set(difference.id, (this.met.get(difference.id) ?? 0) + 1);
      return false;
    });
    if (unexplained.length === 0) return;
    // If the status differs, the bodies are different documents; the messages show it best.
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
