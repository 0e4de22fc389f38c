import { apiVersionOf } from '../api/meta.ts';
import type { JsonObject } from '../lib/json-value.ts';
import { objectJson } from '../registry/served.ts';
import type { ObjectEvent, Served, WatchEvent } from '../registry/verbs.ts';
import { partialMetadataJson } from './partial-metadata.ts';
import { watchEventFrame } from './protobuf/watch-event.ts';
import type { AnswerForm } from './respond.ts';
import { columnDefinitionsJson, rowJson, tableJson } from './table.ts';

const initialEventsEnd = 'k8s.io/initial-events-end';

/**
 * Turns events into the lines of the stream, one JSON document each (rules WATCH-02 to WATCH-04, WATCH-30, WATCH-31).
 * One writer per stream: a Table's column definitions stand in its first event only. The bytes may be another stream's
 * too, and are not to be changed.
 */
export function watchFrames(form: AnswerForm): (event: WatchEvent) => Uint8Array {
  const { transform, kind, include } = form;
  if (form.format === 'protobuf') return protobufFrames(form);
  const isTable = transform?.kind === 'Table';
  let columns = isTable ? columnDefinitionsJson(kind) : '[]';
  const name = [transform?.kind, transform?.version, isTable && [include, kind.group, kind.version, kind.kind]].join();

  const shown = (served: Served, included: AnswerForm['include']): string => {
    if (transform === undefined) return served.json();
    if (transform.kind !== 'Table') return partialMetadataJson(served, transform.version);
    const options = { version: transform.version, include: included, now: form.now() };
    const metadata = JSON.stringify({ resourceVersion: served.object.metadata.resourceVersion ?? '' });
    const table = tableJson(metadata, columns, [rowJson(kind, served, options)], options);
    columns = '[]';
    return table;
  };

  /** Rows say how old their objects are, in whole seconds of ours. */
  const formName = () => (isTable ? `${name} ${columns !== '[]'} ${Math.floor(form.now() / 1000)}` : name);

  const ofObject = (event: ObjectEvent): Uint8Array => {
    if (event.shared === undefined) return line(event.type, shown(event.object, include));
    const { lines } = event.shared;
    const wanted = formName();
    let found = lines.get(wanted);
    if (found === undefined) {
      found = line(event.type, shown(event.object, include));
      lines.set(wanted, found);
    }
    columns = '[]';
    return found;
  };

  return (event) => {
    if (event.type === 'ERROR') return line('ERROR', JSON.stringify(event.status));
    if (event.type !== 'BOOKMARK') return ofObject(event);
    // Where the stream stands is said in the object of its row, so a bookmark has one whatever was asked for.
    return line('BOOKMARK', shown(bookmark(form, event), include === 'None' ? 'Metadata' : include));
  };
}

/** The same as frames of protobuf, for those who take nothing else. */
function protobufFrames(form: AnswerForm): (event: WatchEvent) => Uint8Array {
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

/** An object that says nothing but where the stream stands. */
function bookmark(form: AnswerForm, event: Extract<WatchEvent, { type: 'BOOKMARK' }>): Served {
  const { resourceVersion } = event;
  const metadata = event.initialEventsEnd
    ? { annotations: { [initialEventsEnd]: 'true' }, resourceVersion }
    : { resourceVersion };
  const apiVersion = apiVersionOf(form.kind);
  const object = { apiVersion, kind: form.kind.kind, metadata };
  return { object, json: () => objectJson(form.kind, object) };
}
