import { hash } from 'node:crypto';
import { MessageChannel } from 'node:worker_threads';
import { type JsonObject, type JsonValue, writeJson } from '@flotilla/json';
import {
  type DefinitionSource,
  type RenderedDefinition,
  renderDefinition,
} from '../../api/management/render-definition.ts';
import { planeErrors } from '../../builtin/workers/plane-errors.ts';
import { BoundedCache } from '../../lib/bounded-cache.ts';
import { LinkClosedError, MessageLink } from '../../lib/link/message-link.ts';
import type { Log } from '../../lib/log.ts';
import type { StartThread, Thread } from '../../process/threads/thread.ts';
import { ThreadActivity } from '../../process/threads/thread-activity.ts';
import { Watchdog } from '../../process/threads/watchdog.ts';
import type { RenderMethods, RenderThreadData } from './render-thread.ts';

export interface TemplateRendererOptions {
  readonly startThread: StartThread<RenderThreadData>;
  /** The time after which a template that is still being rendered is given up. */
  readonly stallSeconds: number;
  readonly log: Log;
}

interface RunningThread {
  readonly thread: Thread;
  readonly link: MessageLink<object, RenderMethods>;
}

/** A thread without work for this time is ended. */
const idleMs = 60_000;

/** The number of templates that are known not to be renderable. */
const maxFailures = 1_000;

/**
 * Renders the templates of instances on a thread of its own, because tenants write templates. A template that takes too long
 * or needs too much memory ends that thread, and is not rendered again. Templates are rendered one after the other.
 */
export class TemplateRenderer {
  readonly #options: TemplateRendererOptions;
  /** Why templates ended the thread, by digest of the template and its parameters, whatever instance uses it. */
  readonly #failures = new BoundedCache<string>({ most: maxFailures, longest: 100 });
  #running: RunningThread | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(options: TemplateRendererOptions) {
    this.#options = options;
  }

  /** Renders a definition. A definition without template expressions and parameters is rendered on this thread. */
  async render(source: DefinitionSource): Promise<RenderedDefinition> {
    if (source.parameterValues === '' && !hasExpressions(source.definition as JsonObject))
      return renderDefinition(source);
    const rendering = this.#last.then(() => this.#renderOnThread(source));
    this.#last = rendering.catch(() => {});
    return await rendering;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idleTimer);
    await this.#running?.thread.terminate();
  }

  async #renderOnThread(source: DefinitionSource): Promise<RenderedDefinition> {
    const { definition, parameters, parameterValues } = source;
    const content = { definition, parameters, parameterValues } as unknown as JsonObject;
    const digest = hash('sha256', writeJson(content), 'hex');
    const known = this.#failures.get(digest);
    if (known !== undefined) return { definition: {}, problems: [known] };
    if (this.#isClosed) throw new Error('the server is shutting down');
    clearTimeout(this.#idleTimer);
    if (this.#running === undefined || this.#running.link.isClosed) this.#running = this.#start();
    try {
      return await this.#running.link.call('render', source);
    } catch (error) {
      if (!(error instanceof LinkClosedError) || this.#isClosed) throw error;
      const { stallSeconds, log } = this.#options;
      const { project, name } = source.platform;
      log.error({ project, instance: name }, 'the thread that renders templates was replaced because of a template');
      const problem = `rendering takes longer than ${stallSeconds} seconds or needs too much memory`;
      this.#failures.set(digest, problem);
      return { definition: {}, problems: [problem] };
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
    const activity = ThreadActivity.newMemory();
    const link = new MessageLink<object, RenderMethods>({ port: port1, errors: planeErrors, methods: {} });
    let watchdog: Watchdog | undefined;
    const thread = this.#options.startThread({ port: port2, activity }, [port2], () => {
      watchdog?.stop();
      link.close();
    });
    watchdog = new Watchdog({
      activity: new ThreadActivity(activity),
      stallSeconds: this.#options.stallSeconds,
      onStall: () => void thread.terminate(),
    });
    return { thread, link };
  }
}

function hasExpressions(value: JsonValue): boolean {
  if (typeof value === 'string') return value.includes('{{');
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((member) => hasExpressions(member as JsonValue));
}
