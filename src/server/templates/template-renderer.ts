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
  /** The time in seconds after which the server gives up a template that is still being rendered. */
  readonly stallSeconds: number;
  /** Durably records the templates that ended the thread, or that were being rendered when the server ended. */
  readonly marks: WorkMarks;
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly log: Log;
}

/** Work that ended the thread. `failure` is the end of a sentence about the work. */
interface ThreadFailure {
  readonly failure: string;
}

interface ThreadWork<Result> {
  /** The project whose templates the thread works for. */
  readonly project: string;
  /** The content that identifies work that has ended the thread before. */
  readonly content: string;
  readonly instance?: string;
  call(link: MessageLink<object, RenderMethods>): Promise<Result>;
}

interface RunningThread {
  readonly thread: Thread;
  readonly link: MessageLink<object, RenderMethods>;
}

/** The thread is ended after this time without work. */
const idleMs = 60_000;

/** The maximum length of a text that is read on the main thread. Reading it takes some milliseconds. */
const maxReadLength = 8 * 1024;

/** The maximum number of remembered texts that cannot be read. */
const maxUnreadable = 1_000;
/** The maximum length of the reason why objects cannot be read. */
const maxProblemLength = 1_000;
/** A template is not rendered again if the server has ended this many times while rendering it. */
const maxServerEnds = 2;
/** The maximum number of templates that may wait. The reconciles of further templates are repeated later. */
const maxWaiting = 1_000;
/**
 * The maximum difference in thread time, in milliseconds, that counts when a project has used more than the waiting
 * projects.
 */
const maxDebt = 60_000;

/**
 * Renders the templates of instances on a separate thread, because tenants write templates. A template that takes too
 * long or needs too much memory ends the thread, and is not rendered again, even after a restart of the server.
 * Templates are rendered one after the other; the next template belongs to the project that has used the least time of
 * the thread. The thread also reads the objects of templates, which are YAML.
 */
export class TemplateRenderer {
  readonly #options: TemplateRendererOptions;
  /**
   * The reasons why objects cannot be read, by digest of their text. Controllers try to read an unchanged template
   * repeatedly.
   */
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

  /**
   * Reads the YAML documents of a template of a project. Short documents are read on this thread. Rejects with
   * ApplyError.
   */
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

  /** Queues work, and runs it on the thread when its project is next. */
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

  /** Begins the next work in the queue. When this work ends, begins the following work. */
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
    // Work with the same content may have failed while this work was in the queue.
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

  /** Ends an idle thread to free its memory. The next template starts a new thread. */
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
