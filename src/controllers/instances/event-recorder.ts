import { hash } from 'node:crypto';
import { eventKind } from '../../api/core/event.ts';
import { apiVersionOf, type KubeObject, timestamp } from '../../api/meta.ts';
import { StatusError } from '../../api/status.ts';
import type { ResourceClient } from '../../client/resource-client.ts';
import type { Clock } from '../../lib/clock.ts';
import { numberAt } from '../../lib/json-path.ts';
import type { JsonValue } from '../../lib/json-value.ts';
import type { Log } from '../../lib/log.ts';

export type EventType = 'Normal' | 'Warning';

export interface EventRecorder {
  /** Tells of something that happened to an object. Never waits and never throws: an event is news, not state. */
  record(about: KubeObject, type: EventType, reason: string, message: string): void;
  /** Settles when all that was told is written. */
  flush(): Promise<void>;
  /** What is not written yet is not written any more; settles when nothing runs. */
  stop(): Promise<void>;
}

export interface EventRecorderOptions {
  readonly events: ResourceClient;
  /** Who reports them. */
  readonly component: string;
  readonly clock: Clock;
  readonly log: Log;
}

interface Told {
  /** Of the object no more than names it: many may wait, and objects are large. */
  readonly about: KubeObject;
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
  readonly first: number;
  last: number;
  times: number;
}

/** More than a storm of instances brings in the time that it takes to write them; what is beyond is not told. */
const mostWaiting = 20_000;
/** Enough for them to share a flush, too few to be felt by others. */
const atATime = 16;
/** Kubernetes' own limit for the text of an event. */
const longestMessage = 1024;

/**
 * Events with names that follow from what they say: the same thing said again, also after a restart, is the same event,
 * counted up.
 */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { clock, log } = options;
  const waiting = new Map<string, Told>();
  const stopping = new AbortController();
  const writing = new Set<Promise<void>>();

  async function work(): Promise<void> {
    for (const [name, told] of waiting) {
      waiting.delete(name);
      try {
        await write(options, name, told, stopping.signal);
      } catch (error) {
        if (stopping.signal.aborted) return;
        log.warn({ event: name, reason: told.reason, error: String(error) }, 'an event could not be written');
      }
    }
  }

  return {
    record(about, type, reason, said) {
      if (stopping.signal.aborted) return;
      const now = clock.now();
      const message = said.length <= longestMessage ? said : `${said.slice(0, longestMessage - 1)}…`;
      const name = eventName(about, reason, message);
      const known = waiting.get(name);
      if (known !== undefined) {
        known.last = now;
        known.times += 1;
        return;
      }
      if (waiting.size >= mostWaiting) return;
      waiting.set(name, { about: named(about), type, reason, message, first: now, last: now, times: 1 });
      if (writing.size >= atATime) return;
      const writer = work().finally(() => writing.delete(writer));
      writing.add(writer);
    },
    async flush() {
      while (writing.size > 0) await Promise.all(writing);
    },
    async stop() {
      stopping.abort();
      waiting.clear();
      while (writing.size > 0) await Promise.all(writing);
    },
  };
}

function named({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = metadata;
  return { apiVersion, kind, metadata: { namespace, name, uid, resourceVersion } };
}

/** The start of the object's name, as people look for it, and what tells this event from the object's others. */
function eventName({ metadata }: KubeObject, reason: string, message: string): string {
  const digest = hash('sha256', `${metadata.uid}\n${reason}\n${message}`, 'hex').slice(0, 16);
  return `${metadata.name}.${digest}`;
}

async function write(options: EventRecorderOptions, name: string, told: Told, signal: AbortSignal): Promise<void> {
  const { events } = options;
  const { namespace = '' } = told.about.metadata;
  try {
    await events.create(eventOf(options, name, told), { signal });
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    // The project goes or is gone, and its events with it.
    if (error.code === 403 || error.code === 404) return;
    if (error.status.reason !== 'AlreadyExists') throw error;
    const known = await events.get({ namespace, name }, { signal });
    const count = (numberAt(known as JsonValue, 'count') ?? 1) + told.times;
    await events.patch({ namespace, name }, { count, lastTimestamp: timestamp(told.last) }, { signal });
  }
}

function eventOf({ component }: EventRecorderOptions, name: string, told: Told): KubeObject {
  const { about, type, reason, message, first, last, times } = told;
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
    count: times,
  };
}
