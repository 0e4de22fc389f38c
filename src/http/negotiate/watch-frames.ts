import type { JsonObject } from '@flotilla/json';
import { apiVersionOf } from '../../api/meta.ts';
import { objectJson } from '../../registry/cache/served.ts';
import type { ObjectEvent, ServedObject, WatchEvent } from '../../registry/verbs.ts';
import { watchEventFrame } from '../protobuf/watch-event.ts';
import type { ResponseForm } from './object-reply.ts';
import { partialMetadataJson, protobufObject } from './partial-metadata.ts';
import { columnDefinitionsJson, rowJson, tableJson } from './table.ts';

const initialEventsEnd = 'k8s.io/initial-events-end';

/**
 * The column definitions of all Tables of a watch except the first. Clients keep the definitions from the first Table
 * (WATCH-30).
 */
const laterColumns = 'null';

/**
 * Returns a function that serializes watch events, one JSON document per line (rules WATCH-02 to WATCH-04, WATCH-30,
 * WATCH-31). Each watch needs a separate function, because only the first Table of a watch contains column definitions.
 * Do not modify the returned bytes: several watches may share them.
 */
export function watchFrames(form: ResponseForm): (event: WatchEvent) => Uint8Array {
  const { transform, kind, include } = form;
  if (form.format === 'protobuf') return protobufFrames(form);
  const isTable = transform?.kind === 'Table';
  let columns = isTable ? columnDefinitionsJson(kind) : laterColumns;
  const name = [transform?.kind, transform?.version, isTable && [include, kind.group, kind.version, kind.kind]].join();

  const rendered = (served: ServedObject, included: ResponseForm['include']): string => {
    if (transform === undefined) return served.json();
    if (transform.kind !== 'Table') return partialMetadataJson(served, transform.version);
    const options = { version: transform.version, include: included, now: form.now() };
    const metadata = JSON.stringify({ resourceVersion: served.object.metadata.resourceVersion ?? '' });
    const table = tableJson(metadata, columns, [rowJson(kind, served, options)], options);
    columns = laterColumns;
    return table;
  };

  /**
   * Returns the key under which the line of an event is cached. A Table row contains an age in seconds, so its key
   * contains the current second.
   */
  const formKey = () => (isTable ? `${name} ${columns !== laterColumns} ${Math.floor(form.now() / 1000)}` : name);

  const objectLine = (event: ObjectEvent): Uint8Array => {
    if (event.shared === undefined) return line(event.type, rendered(event.object, include));
    const { lines } = event.shared;
    const key = formKey();
    let found = lines.get(key);
    if (found === undefined) {
      found = line(event.type, rendered(event.object, include));
      lines.set(key, found);
    }
    columns = laterColumns;
    return found;
  };

  return (event) => {
    if (event.type === 'ERROR') return line('ERROR', JSON.stringify(event.status));
    if (event.type !== 'BOOKMARK') return objectLine(event);
    // A client reads the resourceVersion of a bookmark from the object in the Table row. So this row contains an object
    // even if the client requested rows without objects.
    return line('BOOKMARK', rendered(bookmark(form, event), include === 'None' ? 'Metadata' : include));
  };
}

/** Returns a function that serializes watch events as protobuf. */
function protobufFrames(form: ResponseForm): (event: WatchEvent) => Uint8Array {
  const encode = (object: JsonObject): Uint8Array => {
    const bytes = form.encodeProtobuf?.(object);
    if (bytes === undefined)
      throw new TypeError('the response was negotiated as protobuf, but the plane has no protobuf codec');
    return bytes;
  };
  const { transform } = form;
  const key = ['protobuf', transform?.kind, transform?.version].join();
  const frameOf = (type: WatchEvent['type'], object: ServedObject) =>
    watchEventFrame(type, encode(protobufObject(object, transform)));
  return (event) => {
    if (event.type === 'ERROR') return watchEventFrame(event.type, encode(event.status));
    if (event.type === 'BOOKMARK') return frameOf(event.type, bookmark(form, event));
    const known = event.shared?.lines.get(key);
    if (known !== undefined) return known;
    const frame = frameOf(event.type, event.object);
    event.shared?.lines.set(key, frame);
    return frame;
  };
}

function line(type: WatchEvent['type'], object: string): Uint8Array {
  return Buffer.from(`{"type":"${type}","object":${object}}\n`);
}

/** Returns the object of a bookmark event. It contains only a resourceVersion. */
function bookmark(form: ResponseForm, event: Extract<WatchEvent, { type: 'BOOKMARK' }>): ServedObject {
  const { resourceVersion } = event;
  const metadata = event.initialEventsEnd
    ? { annotations: { [initialEventsEnd]: 'true' }, resourceVersion }
    : { resourceVersion };
  const apiVersion = apiVersionOf(form.kind);
  const object = { apiVersion, kind: form.kind.kind, metadata };
  return { object, json: () => objectJson(form.kind, object) };
}
