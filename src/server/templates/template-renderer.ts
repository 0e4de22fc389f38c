import { hash } from 'node:crypto';
import { MessageChannel } from 'node:worker_threads';
import { type JsonObject, type JsonValue, writeJson } from '@flotilla/json';
import {
  type DefinitionSource,
  type RenderedDefinition,
  renderDefinition,
} from '../../api/management/render-definition.ts';
import { serviceUnavailable } from '../../api/status.ts';
import type { WorkMark, WorkMarks } from '../../builtin/work-marks.ts';
import { planeErrors } from '../../builtin/workers/plane-errors.ts';
import { ApplyError } from '../../hosts/apply-objects.ts';
import { readObjects } from '../../hosts/read-objects.ts';
import { FairQueue } from '../../http/limits/fair-queue.ts';
import { BoundedCache } from '../../lib/bounded-cache.ts';
import type { Clock } from '../../lib/clock.ts';
import { LinkClosedError, MessageLink } from '../../lib/link/message-link.ts';
import type { Log } from '../../lib/log.ts';
import type { StartThread, Thread } from '../../process/threads/thread.ts';
import { startWatchedThread } from '../../process/threads/watched-thread.ts';
import type { ReadObjects, RenderMethods, RenderThreadData } from './render-thread.ts';

export interface TemplateRendererOptions {
  readonly startThread: StartThread<RenderThreadData>;
  /** The time after which a template that is still being rendered is given up. */
  readonly stallSeconds: number;
  /** Records the templates that ended the thread, or were being rendered when the server ended, durably. */
  readonly marks: WorkMarks;
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly log: Log;
}

/** Work that ended the thread. The text continues a sentence about the work. */
interface ThreadFailure {
  readonly failure: string;
}

interface ThreadWork<Result> {
  /** The project whose templates the thread works for. */
  readonly project: string;
  /** Identifies work that ends the thread. */
  readonly content: string;
  readonly instance?: string;
  call(link: MessageLink<object, RenderMethods>): Promise<Result>;
}

interface RunningThread {
  readonly thread: Thread;
  readonly link: MessageLink<object, RenderMethods>;
}

/** A thread without work for this time is ended. */
const idleMs = 60_000;

/** The maximum length of objects that are read without the thread. That takes some milliseconds. */
const maxReadLength = 8 * 1024;

/** The number of texts that are known to be unreadable. */
const maxUnreadable = 1_000;
/** The maximum length of the reason why objects cannot be read. */
const maxProblemLength = 1_000;
/** A template that was being rendered this many times when the server ended is not rendered again. */
const maxServerEnds = 2;
/** The number of templates that may wait. Their reconciles are repeated later if there are more. */
const maxWaiting = 1_000;
/** The thread time in milliseconds by which a project may be ahead of others that wait. */
const maxDebt = 60_000;

/**
 * Renders the templates of instances on a thread of its own, because tenants write templates. A template that takes too long
 * or needs too much memory ends that thread, and is not rendered again, also after a restart of the server. Templates are
 * rendered one after the other; the next one belongs to the project that has used the least time of the thread. The thread
 * also reads the objects of templates, which are YAML.
 */
export class TemplateRenderer {
  readonly #options: TemplateRendererOptions;
  /** The reasons why objects cannot be read, by digest of their text. They are read repeatedly until the template changes. */
  readonly #unreadable = new BoundedCache<string>({ most: maxUnreadable, longest: maxProblemLength });
  readonly #waiting = new FairQueue({ maxDebt });
  #running: RunningThread | undefined;
  /** The digest of the template that the thread works on. */
  #current: string | undefined;
  /** Resolves when the thread has finished its current work. */
  #turn: Promise<void> | undefined;
  #isClosed = false;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(options: TemplateRendererOptions) {
    this.#options = options;
  }

  /** Renders a definition. A definition without template expressions and parameters is rendered on this thread. */
  async render(source: DefinitionSource): Promise<RenderedDefinition> {
    const { definition, parameters, parameterValues, platform } = source;
    if (parameterValues === '' && !hasExpressions(definition as JsonObject)) return renderDefinition(source);
    const content = { definition, parameters, parameterValues } as unknown as JsonObject;
    const { project, name: instance } = platform;
    const call: ThreadWork<RenderedDefinition>['call'] = (link) => link.call('render', source);
    const result = await this.#inTurn({ project, instance, content: writeJson(content), call });
    return 'failure' in result ? { definition: {}, problems: [`rendering ${result.failure}`] } : result;
  }

  /** Reads the YAML documents of a template of a project. Short ones are read on this thread. Rejects with ApplyError. */
  async readObjects(text: string, project: string): Promise<readonly JsonObject[]> {
    if (text.length <= maxReadLength) return readObjects(text);
    const digest = hash('sha256', text, 'hex');
    const problem = this.#unreadable.get(digest);
    if (problem !== undefined) throw new ApplyError(problem);
    const call: ThreadWork<ReadObjects>['call'] = (link) => link.call('readObjects', text);
    const result = await this.#inTurn({ project, content: text, call });
    if ('objects' in result) return result.objects;
    const found = 'failure' in result ? `reading the objects ${result.failure}` : result.problem;
    this.#unreadable.set(digest, found.slice(0, maxProblemLength));
    throw new ApplyError(found);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idleTimer);
    await this.#running?.thread.terminate();
    await this.#turn;
    await this.#options.marks.close();
  }

  /** Runs work on the thread when it is the turn of its project. */
  async #inTurn<Result>(work: ThreadWork<Result>): Promise<Result | ThreadFailure> {
    const digest = hash('sha256', work.content, 'hex');
    const known = this.#failureOf(digest);
    if (known !== undefined) return { failure: known };
    if (this.#waiting.length >= maxWaiting) throw serviceUnavailable('too many templates wait to be rendered', 1);
    return await new Promise((resolve, reject) => {
      this.#waiting.push({ tenant: work.project, part: '', key: '' }, () => {
        this.#turn = this.#run(digest, work).then(resolve, reject);
      });
      if (this.#turn === undefined) this.#beginNext();
    });
  }

  /** Begins the work that is next, and then the others, one after the other. */
  #beginNext(): void {
    const { clock } = this.#options;
    const began = clock.elapsed();
    this.#turn = undefined;
    const project = this.#waiting.beginNext();
    if (project === undefined) return;
    void Promise.resolve(this.#turn).then(() => {
      this.#waiting.charge(project, clock.elapsed() - began);
      this.#beginNext();
    });
  }

  async #run<Result>(digest: string, work: ThreadWork<Result>): Promise<Result | ThreadFailure> {
    // An earlier one in the queue may have been the same.
    const known = this.#failureOf(digest);
    if (known !== undefined) return { failure: known };
    if (this.#isClosed) throw new Error('the server is shutting down');
    clearTimeout(this.#idleTimer);
    if (this.#running === undefined || this.#running.link.isClosed) this.#running = this.#start();
    const { stallSeconds, marks, log } = this.#options;
    this.#current = digest;
    try {
      const result = await work.call(this.#running.link);
      marks.remove(digest);
      return result;
    } catch (error) {
      if (!(error instanceof LinkClosedError) || this.#isClosed) {
        marks.finish(digest);
        throw error;
      }
      const { project, instance } = work;
      log.error({ project, instance }, 'the thread that renders templates was replaced because of a template');
      const failure = `takes longer than ${stallSeconds} seconds or needs too much memory`;
      marks.addIncident(digest, failure);
      return { failure };
    } finally {
      this.#current = undefined;
      this.#idleTimer = setTimeout(() => this.#stopIdleThread(), idleMs).unref();
    }
  }

  #failureOf(digest: string): string | undefined {
    const mark: WorkMark | undefined = this.#options.marks.get(digest);
    if (mark === undefined) return undefined;
    if (mark.failure !== undefined) return mark.failure;
    return mark.incidents.length < maxServerEnds
      ? undefined
      : `was in progress ${maxServerEnds} times when the server ended`;
  }

  /** Ends the thread, which takes memory. The next template starts another one. */
  #stopIdleThread(): void {
    const idle = this.#running;
    this.#running = undefined;
    void idle?.thread.terminate();
  }

  #start(): RunningThread {
    const { port1, port2 } = new MessageChannel();
    const link = new MessageLink<object, RenderMethods>({ port: port1, errors: planeErrors, methods: {} });
    const { startThread, stallSeconds } = this.#options;
    const thread = startWatchedThread({
      startThread,
      createData: (activity) => ({ port: port2, activity }),
      ports: [port2],
      stallSeconds,
      onBusy: () => {
        if (this.#current !== undefined) this.#options.marks.begin(this.#current);
      },
      onEnd: () => link.close(),
    });
    return { thread, link };
  }
}

function hasExpressions(value: JsonValue): boolean {
  if (typeof value === 'string') return value.includes('{{');
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((member) => hasExpressions(member as JsonValue));
}
