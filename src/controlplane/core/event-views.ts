import { eventKind } from '../../api/core/event.ts';
import { otherEvent, otherEventField, otherEventMembers, otherEventPatch } from '../../api/core/event-conversion.ts';
import { groupEventKind } from '../../api/core/events-k8s-io.ts';
import { inStructOrder } from '../../api/core/struct-order.ts';
import type { FieldError } from '../../api/field-error.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { FieldSelector } from '../../api/selectors/field-selector.ts';
import { invalidObject } from '../../api/status.ts';
import { isJsonObject, type JsonValue } from '../../lib/json-value.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import { streamMapper } from '../../registry/mapped-stream.ts';
import type { MountedResource } from '../../registry/mounted-resource.ts';
import { serve } from '../../registry/served.ts';
import type { ListOptions, Patch, ResourceVerbs, Served, ServedList } from '../../registry/verbs.ts';
import { changedEventErrors, newEventErrors } from './event-rules.ts';

/** Events as `v1`. Field selectors know the reporting component as `source`. */
export function coreEventsView(events: KindStore): MountedResource {
  const { verbs } = events;
  const select = <T extends ListOptions>(options: T): T =>
    renamedFields(options, (field) => (field === 'source' ? 'source.component' : field));
  return {
    kind: eventKind,
    verbs: {
      ...verbs,
      list: (context, options) => verbs.list(context, select(options)),
      watch: (context, options) => verbs.watch(context, select(options)),
      deletecollection: (context, list, options) => verbs.deletecollection(context, select(list), options),
    },
    subresources: {},
  };
}

/** The same events as `events.k8s.io/v1`: everything is turned over on its way in and on its way out. */
export function eventsView(events: KindStore): MountedResource {
  const { verbs } = events;
  const select = <T extends ListOptions>(options: T): T => renamedFields(options, otherEventField);
  const refuse = (name: string, errors: readonly FieldError[]) => {
    if (errors.length > 0) throw invalidObject(groupEventKind, name, errors);
  };
  const view: ResourceVerbs = {
    get: async (context, name, options) => turned(await verbs.get(context, name, options)),
    list: async (context, options) => turnedList(await verbs.list(inside(context), select(options))),
    watch: async (context, options) => turnedStream(await verbs.watch(inside(context), select(options))),
    create: async (context, object, options) => {
      const event = otherEvent(object);
      refuse(object.metadata.name ?? '', newEventErrors(event));
      return turned(await verbs.create(context, event, options));
    },
    update: async (context, name, sent, options) => {
      const event = otherEvent(sent);
      const old = events.peek(context.namespace, name)?.object;
      refuse(name, old === undefined ? newEventErrors(event) : changedEventErrors(event, old));
      const written = await verbs.update(context, name, event, options);
      return { ...turned(written), created: written.created };
    },
    patch: async (context, name, patch, options) => {
      const written = await verbs.patch(context, name, turnedPatch(patch), options);
      return { ...turned(written), created: written.created };
    },
    delete: async (context, name, options) => {
      const deleted = await verbs.delete(context, name, options);
      return 'pending' in deleted ? { pending: turned(deleted.pending) } : deleted;
    },
    deletecollection: async (context, list, options) =>
      turnedList(await verbs.deletecollection(inside(context), select(list), options)),
  };
  return { kind: groupEventKind, verbs: view, subresources: {} };
}

/** Turned once per version, however many ask; forgotten with the version. */
const turnedOnce = new WeakMap<KubeObject, Served>();

function turned({ object }: Served): Served {
  let served = turnedOnce.get(object);
  if (served === undefined) {
    served = serve(groupEventKind, inStructOrder(groupEventKind, otherEvent(object)));
    turnedOnce.set(object, served);
  }
  return { object: served.object, json: () => served.json() };
}

function turnedList(list: ServedList): ServedList {
  return { ...list, items: list.items.map(turned) };
}

const turnedStream = streamMapper((event) => ('object' in event ? { ...event, object: turned(event.object) } : event));

function turnedPatch(patch: Patch): Patch {
  if (patch.type === 'json') return { ...patch, operations: otherEventPatch(patch.operations) };
  if (patch.type === 'merge') return { ...patch, document: turnedDocument(patch.document) };
  return { ...patch, object: turnedDocument(patch.object) };
}

function turnedDocument(document: JsonValue): JsonValue {
  return isJsonObject(document) ? otherEventMembers(document) : document;
}

/** Whoever filters for the caller is asked about the form that the caller sees. */
function inside(context: RequestContext): RequestContext {
  const { mayRead } = context;
  return mayRead === undefined ? context : { ...context, mayRead: (object) => mayRead(otherEvent(object)) };
}

function renamedFields<T extends ListOptions>(options: T, rename: (field: string) => string): T {
  const { fieldSelector } = options;
  if (fieldSelector === undefined) return options;
  const renamed: FieldSelector = {
    requirements: fieldSelector.requirements.map((one) => ({ ...one, field: rename(one.field) })),
    matches: (read) => fieldSelector.matches((field) => read(rename(field))),
  };
  return { ...options, fieldSelector: renamed };
}
