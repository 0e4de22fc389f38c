import type { JsonObject } from '@flotilla/json';
import { apiVersionOf } from '../../api/meta.ts';
import { objectJson } from '../../registry/cache/served.ts';
import type { ObjectEvent, ServedObject, WatchEvent } from '../../registry/verbs.ts';
import { watchEventFrame } from '../protobuf/watch-event.ts';
import type { ResponseForm } from './object-reply.ts';
import { partialMetadataJson } from './partial-metadata.ts';
import { columnDefinitionsJson, rowJson, tableJson } from './table.ts';

const initialEventsEnd = 'k8s.io/initial-events-end';

/**
 * Converts events to the lines of the stream, one JSON document each (rules WATCH-02 to WATCH-04, WATCH-30, WATCH-31).
 * Each stream has its own converter, because only the first event of a Table has column definitions. The bytes may be
 * shared with other streams and must not be modified.
 */
export function watchFrames(form: ResponseForm): (event: WatchEvent) => Uint8Array {
  const { transform, kind, include } = form;
  if (form.format === 'protobuf') return protobufFrames(form);
  const isTable = transform?.kind === 'Table';
  let columns = isTable ? columnDefinitionsJson(kind) : '[]';
  const name = [transform?.kind, transform?.version, isTable && [include, kind.group, kind.version, kind.kind]].join();

  const rendered = (served: ServedObject, included: ResponseForm['include']): string => {
    if (transform === undefined) return served.json();
    if (transform.kind !== 'Table') return partialMetadataJson(served, transform.version);
    const options = { version: transform.version, include: included, now: form.now() };
    const metadata = JSON.stringify({ resourceVersion: served.object.metadata.resourceVersion ?? '' });
    const table = tableJson(metadata, columns, [rowJson(kind, served, options)], options);
    columns = '[]';
    return table;
  };

  /** The cache key of the form. Rows of a Table contain the age of their objects, in whole seconds of this server. */
  const formKey = () => (isTable ? `${name} ${columns !== '[]'} ${Math.floor(form.now() / 1000)}` : name);

  const objectLine = (event: ObjectEvent): Uint8Array => {
    if (event.shared === undefined) return line(event.type, rendered(event.object, include));
    const { lines } = event.shared;
    const key = formKey();
    let found = lines.get(key);
    if (found === undefined) {
      found = line(event.type, rendered(event.object, include));
      lines.set(key, found);
    }
    columns = '[]';
    return found;
  };

  return (event) => {
    if (event.type === 'ERROR') return line('ERROR', JSON.stringify(event.status));
    if (event.type !== 'BOOKMARK') return objectLine(event);
    // A bookmark reports the resourceVersion in the object of its row, so it has one whatever the client requested.
    return line('BOOKMARK', rendered(bookmark(form, event), include === 'None' ? 'Metadata' : include));
  };
}

/** Encodes events as protobuf frames, for clients that accept nothing else. */
function protobufFrames(form: ResponseForm): (event: WatchEvent) => Uint8Array {
  const encode = (object: JsonObject): Uint8Array => {
    const bytes = form.encodeProtobuf?.(object);
    if (bytes === undefined) throw new TypeError('protobuf was negotiated without a codec');
    return bytes;
  };
  return (event) => {
    if (event.type === 'ERROR') return watchEventFrame(event.type, encode(event.status));
    if (event.type === 'BOOKMARK') return watchEventFrame(event.type, encode(bookmark(form, event).object));
    const known = event.shared?.lines.get('protobuf');
    if (known !== undefined) return known;
    const frame = watchEventFrame(event.type, encode(event.object.object));
    event.shared?.lines.set('protobuf', frame);
    return frame;
  };
}

function line(type: WatchEvent['type'], object: string): Uint8Array {
  return Buffer.from(`{"type":"${type}","object":${object}}\n`);
}

/** An object that contains only the resourceVersion of the stream. */
function bookmark(form: ResponseForm, event: Extract<WatchEvent, { type: 'BOOKMARK' }>): ServedObject {
  const { resourceVersion } = event;
  const metadata = event.initialEventsEnd
    ? { annotations: { [initialEventsEnd]: 'true' }, resourceVersion }
    : { resourceVersion };
  const apiVersion = apiVersionOf(form.kind);
  const object = { apiVersion, kind: form.kind.kind, metadata };
  return { object, json: () => objectJson(form.kind, object) };
}
