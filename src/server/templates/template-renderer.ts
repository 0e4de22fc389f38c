import { hash } from 'node:crypto';
import { MessageChannel } from 'node:worker_threads';
import { type JsonObject, type JsonValue, writeJson } from '@flotilla/json';
import {
  type DefinitionSource,
  type RenderedDefinition,
  renderDefinition,
} from '../../api/management/render-definition.ts';
import { planeErrors } from '../../builtin/workers/plane-errors.ts';
import { ApplyError } from '../../hosts/apply-objects.ts';
import { readObjects } from '../../hosts/read-objects.ts';
import { BoundedCache } from '../../lib/bounded-cache.ts';
import { LinkClosedError, MessageLink } from '../../lib/link/message-link.ts';
import type { Log } from '../../lib/log.ts';
import type { StartThread, Thread } from '../../process/threads/thread.ts';
import { startWatchedThread } from '../../process/threads/watched-thread.ts';
import type { RenderMethods, RenderThreadData } from './render-thread.ts';

export interface TemplateRendererOptions {
  readonly startThread: StartThread<RenderThreadData>;
  /** The time after which a template that is still being rendered is given up. */
  readonly stallSeconds: number;
  readonly log: Log;
}

/** Work that ended the thread. The text continues a sentence about the work. */
interface ThreadFailure {
  readonly failure: string;
}

type ThreadWork<Result> = (link: MessageLink<object, RenderMethods>) => Promise<Result>;

interface RunningThread {
  readonly thread: Thread;
  readonly link: MessageLink<object, RenderMethods>;
}

/** A thread without work for this time is ended. */
const idleMs = 60_000;

/** The maximum length of objects that are read without the thread. That takes some milliseconds. */
const maxReadLength = 8 * 1024;

/** The number of templates that are known not to be renderable. */
const maxFailures = 1_000;
/** The maximum length of the reason why objects cannot be read. */
const maxProblemLength = 1_000;

/**
 * Renders the templates of instances on a thread of its own, because tenants write templates. A template that takes too long
 * or needs too much memory ends that thread, and is not rendered again. Templates are rendered one after the other. The
 * thread also reads the objects of templates, which are YAML.
 */
export class TemplateRenderer {
  readonly #options: TemplateRendererOptions;
  /** Why templates ended the thread, by digest of the template and its parameters, whatever instance uses it. */
  readonly #failures = new BoundedCache<string>({ most: maxFailures, longest: 100 });
  /** Why objects cannot be read, by digest of their text. They are tried again and again until the template changes. */
  readonly #unreadable = new BoundedCache<string>({ most: maxFailures, longest: maxProblemLength });
  #running: RunningThread | undefined;
  #last: Promise<unknown> = Promise.resolve();
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
    const result = await this.#inTurn(writeJson(content), { project, instance }, (link) => link.call('render', source));
    return 'failure' in result ? { definition: {}, problems: [`rendering ${result.failure}`] } : result;
  }

  /** Reads the YAML documents of a template. Short ones are read on this thread. Rejects with ApplyError. */
  async readObjects(text: string): Promise<readonly JsonObject[]> {
    if (text.length <= maxReadLength) return readObjects(text);
    const digest = hash('sha256', text, 'hex');
    const problem = this.#unreadable.get(digest);
    if (problem !== undefined) throw new ApplyError(problem);
    const result = await this.#inTurn(text, {}, (link) => link.call('readObjects', text));
    if ('objects' in result) return result.objects;
    const found = 'failure' in result ? `reading the objects ${result.failure}` : result.problem;
    this.#unreadable.set(digest, found.slice(0, maxProblemLength));
    throw new ApplyError(found);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idleTimer);
    await this.#running?.thread.terminate();
  }

  /** Runs work on the thread after all earlier work. `content` identifies work that ends the thread. */
  async #inTurn<Result>(
    content: string,
    logged: Record<string, string>,
    work: ThreadWork<Result>,
  ): Promise<Result | ThreadFailure> {
    const running = this.#last.then(() => this.#run(content, logged, work));
    this.#last = running.catch(() => {});
    return await running;
  }

  async #run<Result>(
    content: string,
    logged: Record<string, string>,
    work: ThreadWork<Result>,
  ): Promise<Result | ThreadFailure> {
    const digest = hash('sha256', content, 'hex');
    const known = this.#failures.get(digest);
    if (known !== undefined) return { failure: known };
    if (this.#isClosed) throw new Error('the server is shutting down');
    clearTimeout(this.#idleTimer);
    if (this.#running === undefined || this.#running.link.isClosed) this.#running = this.#start();
    try {
      return await work(this.#running.link);
    } catch (error) {
      if (!(error instanceof LinkClosedError) || this.#isClosed) throw error;
      const { stallSeconds, log } = this.#options;
      log.error(logged, 'the thread that renders templates was replaced because of a template');
      const failure = `takes longer than ${stallSeconds} seconds or needs too much memory`;
      this.#failures.set(digest, failure);
      return { failure };
    } finally {
      this.#idleTimer = setTimeout(() => this.#stopIdleThread(), idleMs).unref();
    }
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
