import { isJsonObject, type JsonValue } from '@flotilla/json';
import { eventKind } from '../../api/core/event.ts';
import {
  convertEvent,
  convertEventField,
  convertEventMembers,
  convertEventPatch,
} from '../../api/core/event-conversion.ts';
import { eventsGroupEventKind } from '../../api/core/events-k8s-io.ts';
import type { FieldError } from '../../api/field-error.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { FieldSelector } from '../../api/selectors/field-selector.ts';
import { invalidObject, qualifiedResource, type Status, StatusError } from '../../api/status.ts';
import { toServedObject } from '../../registry/cache/served.ts';
import { contextWithChanges, type RequestContext } from '../../registry/context.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import type { MountedResource } from '../../registry/mounted-resource.ts';
import type { ListOptions, Patch, ResourceVerbs, ServedList, ServedObject } from '../../registry/verbs.ts';
import { streamMapper } from '../../registry/watch/mapped-stream.ts';
import { changedEventErrors, newEventErrors } from './event-rules.ts';

/** Serves events as core/v1. */
export function coreEventsView(events: KindStore): MountedResource {
  const { verbs } = events;
  const select = withSourceField;
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

/** Serves the stored core/v1 events as events.k8s.io/v1. Converts requests and responses. */
export function eventsGroupView(events: KindStore): MountedResource {
  const { verbs } = events;
  const select = <T extends ListOptions>(options: T): T => renamedFields(options, convertEventField);
  // Report validation errors under the kind of core/v1, as Kubernetes does even if the request used events.k8s.io/v1.
  const refuse = (name: string, errors: readonly FieldError[]) => {
    if (errors.length > 0) throw invalidObject(eventKind, name, errors);
  };
  const refuseResult = (name: string, event: KubeObject, old: KubeObject | undefined) =>
    refuse(name, old === undefined ? newEventErrors(event) : changedEventErrors(event, old));
  const view: ResourceVerbs = {
    get: async (context, name, options) => converted(await verbs.get(context, name, options)),
    list: async (context, options) => convertedList(await verbs.list(withConvertedFilter(context), select(options))),
    watch: async (context, options) =>
      convertedStream(await verbs.watch(withConvertedFilter(context), select(options))),
    create: async (context, object, options) => {
      const event = convertEvent(object);
      refuse(object.metadata.name ?? '', newEventErrors(event));
      return converted(await verbs.create(context, event, options));
    },
    update: async (context, name, sent, options) => {
      const event = convertEvent(sent);
      refuseResult(name, event, events.peek(context.namespace, name)?.object);
      const written = await verbs.update(context, name, event, options);
      return { ...converted(written), created: written.created };
    },
    patch: async (context, name, patch, options) => {
      const old = events.peek(context.namespace, name)?.object;
      // Validate the result of the patch before it is written. A dry run computes the result.
      const preview = await verbs.patch(context, name, convertedPatch(patch), { ...options, dryRun: true });
      refuseResult(name, preview.object, old);
      if (options.dryRun) return { ...converted(preview), created: preview.created };
      const written = await verbs.patch(context, name, convertedPatch(patch), options);
      return { ...converted(written), created: written.created };
    },
    delete: async (context, name, options) => {
      const deleted = await verbs.delete(context, name, options);
      return 'pending' in deleted ? { pending: converted(deleted.pending) } : { gone: inEventsGroup(deleted.gone) };
    },
    deletecollection: async (context, list, options) =>
      convertedList(await verbs.deletecollection(withConvertedFilter(context), select(list), options)),
  };
  return { kind: eventsGroupEventKind, verbs: withGroupErrors(view), subresources: {} };
}

/** Events converted to events.k8s.io/v1, by core/v1 event. An entry exists until its event is garbage-collected. */
const convertedCache = new WeakMap<KubeObject, ServedObject>();

function converted({ object }: ServedObject): ServedObject {
  let served = convertedCache.get(object);
  if (served === undefined) {
    served = toServedObject(eventsGroupEventKind, convertEvent(object));
    convertedCache.set(object, served);
  }
  return { object: served.object, json: () => served.json() };
}

function convertedList(list: ServedList): ServedList {
  return { ...list, items: list.items.map(converted) };
}

const convertedStream = streamMapper((event) =>
  'object' in event ? { ...event, object: converted(event.object) } : event,
);

function convertedPatch(patch: Patch): Patch {
  if (patch.type === 'json') return { ...patch, operations: convertEventPatch(patch.operations) };
  if (patch.type === 'apply') return { ...patch, object: convertedDocument(patch.object) };
  return { ...patch, document: convertedDocument(patch.document) };
}

function convertedDocument(document: JsonValue): JsonValue {
  return isJsonObject(document) ? convertEventMembers(document) : document;
}

/** Wraps the caller's read filter, so that the filter receives events converted to events.k8s.io/v1. */
function withConvertedFilter(context: RequestContext): RequestContext {
  const { mayRead } = context;
  return mayRead === undefined
    ? context
    : contextWithChanges(context, { mayRead: (object, hidden) => mayRead(convertEvent(object), hidden) });
}

/**
 * Returns options whose field selector supports the field `source`. Its value is the component of the event's source.
 * If the event has no source because it was created in events.k8s.io, the value is the reporting controller (SEL-14).
 */
function withSourceField<T extends ListOptions>(options: T): T {
  const { fieldSelector } = options;
  if (fieldSelector === undefined) return options;
  const matches: FieldSelector['matches'] = (read) =>
    fieldSelector.matches((field) =>
      field === 'source' ? read('source.component') || read('reportingComponent') : read(field),
    );
  return { ...options, fieldSelector: { ...fieldSelector, matches } };
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

/** Wraps verbs so that their errors name the group events.k8s.io, which the client has requested. */
function withGroupErrors(verbs: ResourceVerbs): ResourceVerbs {
  const named = Object.entries(verbs).map(([name, verb]) => [
    name,
    async (...call: unknown[]) => {
      try {
        return await (verb as (...call: unknown[]) => Promise<unknown>)(...call);
      } catch (error) {
        throw error instanceof StatusError ? new StatusError(inEventsGroup(error.status)) : error;
      }
    },
  ]);
  return Object.fromEntries(named) as ResourceVerbs;
}

function inEventsGroup(status: Status): Status {
  const { details, message } = status;
  if (details?.kind !== eventKind.plural || details.group !== undefined) return status;
  const { name, ...rest } = details;
  const own = qualifiedResource({ group: eventsGroupEventKind.group, resource: eventsGroupEventKind.plural });
  return {
    ...status,
    ...(message === undefined ? {} : { message: message.replace(/\bevents "/, `${own} "`) }),
    details: { ...(name === undefined ? {} : { name }), group: eventsGroupEventKind.group, ...rest },
  };
}
