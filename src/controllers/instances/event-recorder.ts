import { hash } from 'node:crypto';
import { numberAt } from '@flotilla/json';
import { eventKind } from '../../api/core/event.ts';
import { apiVersionOf, type KubeObject, timestamp } from '../../api/meta.ts';
import { StatusError } from '../../api/status.ts';
import type { ResourceClient } from '../../client/resource-client.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';

export type EventType = 'Normal' | 'Warning';

export interface EventRecorder {
  /** Queues an event about an object. Never blocks and never throws, because losing an event does no harm. */
  record(about: KubeObject, type: EventType, reason: string, message: string): void;
  /**
   * Queues an event whose message differs each time, for example because it contains a number. All events of an object
   * with the same `series` become one event with a count and the newest message.
   */
  recordSeries(about: KubeObject, event: SeriesEvent): void;
  /** Resolves when all queued events are written. */
  flush(): Promise<void>;
  /** Discards queued events. Resolves after the writes in progress have ended. */
  stop(): Promise<void>;
}

export interface SeriesEvent {
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
  readonly series: string;
}

export interface EventRecorderOptions {
  readonly events: ResourceClient;
  /** Name of the component that reports the events, as in `source.component`. */
  readonly component: string;
  readonly clock: Clock;
  readonly log: Log;
}

interface PendingEvent {
  /**
   * The identifying metadata of the object that the event is about. Other fields are omitted, because many events may
   * be queued and objects are large.
   */
  readonly about: KubeObject;
  readonly type: EventType;
  readonly reason: string;
  message: string;
  /** True if the new message replaces the message of an existing event. */
  readonly replacesMessage: boolean;
  readonly first: number;
  last: number;
  count: number;
}

/**
 * Maximum number of queued events. Further events are dropped. Even if many instances are created at once, the queue
 * stays below this number.
 */
const maxPending = 20_000;
/**
 * Maximum number of concurrent event writes. With this number, several writes share one group commit, but other writers
 * are not delayed.
 */
const maxConcurrentWrites = 16;
/** The maximum length that Kubernetes allows for an event message. */
const maxMessageLength = 1024;

/**
 * Creates a recorder that derives the name of each event from its content, or from its series. A repeated event therefore increments the
 * count of the existing event, also after a restart.
 */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { clock, log } = options;
  const queue = new Map<string, PendingEvent>();
  const stopping = new AbortController();
  const writers = new Set<Promise<void>>();

  async function work(): Promise<void> {
    for (const [name, pending] of queue) {
      queue.delete(name);
      try {
        await write(options, name, pending, stopping.signal);
      } catch (error) {
        if (stopping.signal.aborted) return;
        log.warn({ event: name, reason: pending.reason, error: String(error) }, 'cannot write event');
      }
    }
  }

  function enqueue(name: string, event: Omit<PendingEvent, 'first' | 'last' | 'count'>): void {
    if (stopping.signal.aborted) return;
    const now = clock.now();
    const existing = queue.get(name);
    if (existing !== undefined) {
      existing.last = now;
      existing.count += 1;
      existing.message = event.message;
      return;
    }
    if (queue.size >= maxPending) return;
    queue.set(name, { ...event, about: objectReference(event.about), first: now, last: now, count: 1 });
    if (writers.size >= maxConcurrentWrites) return;
    const writer = work().finally(() => writers.delete(writer));
    writers.add(writer);
  }

  return {
    record(about, type, reason, fullMessage) {
      const message = truncate(fullMessage);
      enqueue(eventName(about, `${reason}\n${message}`), { about, type, reason, message, replacesMessage: false });
    },
    recordSeries(about, { series, message, ...event }) {
      const name = eventName(about, `series\n${series}`);
      enqueue(name, { about, ...event, message: truncate(message), replacesMessage: true });
    },
    async flush() {
      while (writers.size > 0) await Promise.all(writers);
    },
    async stop() {
      stopping.abort();
      queue.clear();
      while (writers.size > 0) await Promise.all(writers);
    },
  };
}

function truncate(message: string): string {
  return message.length <= maxMessageLength ? message : `${message.slice(0, maxMessageLength - 1)}…`;
}

function objectReference({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = metadata;
  return { apiVersion, kind, metadata: { namespace, name, uid, resourceVersion } };
}

/**
 * Returns the name of an event: the name of the object, which users search for, and a digest that distinguishes the
 * events of one object.
 */
function eventName({ metadata }: KubeObject, identity: string): string {
  const digest = hash('sha256', `${metadata.uid}\n${identity}`, 'hex').slice(0, 16);
  return `${metadata.name}.${digest}`;
}

async function write(
  options: EventRecorderOptions,
  name: string,
  pending: PendingEvent,
  signal: AbortSignal,
): Promise<void> {
  const { events } = options;
  const { namespace = '' } = pending.about.metadata;
  try {
    await events.create(eventOf(options, name, pending), { signal });
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    // The project is terminating or deleted. The events of the project are deleted with the project, so this event is
    // not needed.
    if (error.code === 403 || error.code === 404) return;
    if (error.status.reason !== 'AlreadyExists') throw error;
    const existing = await events.get({ namespace, name }, { signal });
    const count = (numberAt(existing, 'count') ?? 1) + pending.count;
    const change = { count, lastTimestamp: timestamp(pending.last) };
    const message = pending.replacesMessage ? { message: pending.message } : {};
    await events.patch({ namespace, name }, { ...change, ...message }, { signal });
  }
}

function eventOf({ component }: EventRecorderOptions, name: string, pending: PendingEvent): KubeObject {
  const { about, type, reason, message, first, last, count } = pending;
  const { namespace = '', uid = '', resourceVersion = '' } = about.metadata;
  return {
    apiVersion: apiVersionOf(eventKind),
    kind: eventKind.kind,
    metadata: { name, namespace },
    involvedObject: {
      apiVersion: about.apiVersion,
      kind: about.kind,
      namespace,
      name: about.metadata.name ?? '',
      uid,
      resourceVersion,
    },
    type,
    reason,
    message,
    source: { component },
    reportingComponent: component,
    firstTimestamp: timestamp(first),
    lastTimestamp: timestamp(last),
    count,
  };
}
