import { type BackoffOptions, backoffDelay } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import type { HostPlace } from '../host.ts';

export interface InquiriesOptions<Answer> {
  /** Never rejects. */
  ask(place: HostPlace, signal: AbortSignal): Promise<Answer>;
  /** Whether that is the last word. */
  isFinal(answer: Answer): boolean;
  readonly again: BackoffOptions;
  readonly clock: Clock;
  /** One whose answer was not final gives another one now. */
  onNews(place: HostPlace): void;
}

interface Inquiry<Answer> {
  /** What it is about: of anything else nothing is known yet. */
  readonly about: string;
  asking: Promise<Answer> | undefined;
  answer: Answer | undefined;
  asked: number;
  cancel: () => void;
}

/**
 * What has to be asked about virtual clusters, as no watch tells it: once for as long as they are the same, and again, ever
 * more rarely, while the answer is not final.
 */
export class Inquiries<Answer> {
  readonly #options: InquiriesOptions<Answer>;
  readonly #inquiries = new Map<string, Inquiry<Answer>>();
  readonly #stopping = new AbortController();

  constructor(options: InquiriesOptions<Answer>) {
    this.#options = options;
  }

  /** The last answer; the first is waited for. */
  async answer(place: HostPlace, about: string): Promise<Answer> {
    const key = keyOf(place);
    let inquiry = this.#inquiries.get(key);
    if (inquiry?.about !== about) {
      inquiry?.cancel();
      inquiry = { about, asking: undefined, answer: undefined, asked: 0, cancel() {} };
      this.#inquiries.set(key, inquiry);
    }
    if (inquiry.answer !== undefined) return inquiry.answer;
    inquiry.asking ??= this.#ask(place, inquiry);
    return await inquiry.asking;
  }

  known(place: HostPlace): Answer | undefined {
    return this.#inquiries.get(keyOf(place))?.answer;
  }

  /** It is another one by now, or none. */
  forget(place: HostPlace): void {
    this.#inquiries.get(keyOf(place))?.cancel();
    this.#inquiries.delete(keyOf(place));
  }

  close(): void {
    this.#stopping.abort();
    for (const { cancel } of this.#inquiries.values()) cancel();
    this.#inquiries.clear();
  }

  async #ask(place: HostPlace, inquiry: Inquiry<Answer>): Promise<Answer> {
    const { ask, isFinal, again, clock, onNews } = this.#options;
    const before = inquiry.answer;
    const answer = await ask(place, this.#stopping.signal);
    inquiry.answer = answer;
    inquiry.asked += 1;
    if (this.#inquiries.get(keyOf(place)) !== inquiry) return answer;
    if (!isFinal(answer)) {
      inquiry.cancel = clock.after(backoffDelay(inquiry.asked, again), () => void this.#ask(place, inquiry));
    }
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(answer)) onNews(place);
    return answer;
  }
}

function keyOf({ namespace, name }: HostPlace): string {
  return `${namespace}/${name}`;
}
