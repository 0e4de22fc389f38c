import { apiVersionOf } from '../api/meta.ts';
import type { Served, WatchEvent } from '../registry/verbs.ts';
import { partialMetadataJson } from './partial-metadata.ts';
import type { AnswerForm } from './respond.ts';
import { columnDefinitionsJson, rowJson, tableJson } from './table.ts';

const initialEventsEnd = 'k8s.io/initial-events-end';

/**
 * Turns events into the lines of the stream, one JSON document each (rules WATCH-02 to WATCH-04, WATCH-30, WATCH-31).
 * One writer per stream: a Table's column definitions stand in its first event only.
 */
export function watchFrames(form: AnswerForm): (event: WatchEvent) => string {
  let columns = form.transform?.kind === 'Table' ? columnDefinitionsJson(form.kind) : '[]';

  const shown = (served: Served, include: AnswerForm['include']): string => {
    const { transform } = form;
    if (transform === undefined) return served.json();
    if (transform.kind !== 'Table') return partialMetadataJson(served.object, transform.version);
    const options = { version: transform.version, include, now: form.now() };
    const metadata = JSON.stringify({ resourceVersion: served.object.metadata.resourceVersion ?? '' });
    const table = tableJson(metadata, columns, [rowJson(form.kind, served, options)], options);
    columns = '[]';
    return table;
  };

  return (event) => {
    if (event.type === 'ERROR') return frame('ERROR', JSON.stringify(event.status));
    if (event.type !== 'BOOKMARK') return frame(event.type, shown(event.object, form.include));
    // Where the stream stands is said in the object of its row, so a bookmark has one whatever was asked for.
    return frame('BOOKMARK', shown(bookmark(form, event), form.include === 'None' ? 'Metadata' : form.include));
  };
}

function frame(type: WatchEvent['type'], object: string): string {
  return `{"type":"${type}","object":${object}}\n`;
}

/** An object that says nothing but where the stream stands. */
function bookmark(form: AnswerForm, event: Extract<WatchEvent, { type: 'BOOKMARK' }>): Served {
  const { resourceVersion } = event;
  const metadata = event.initialEventsEnd
    ? { annotations: { [initialEventsEnd]: 'true' }, resourceVersion }
    : { resourceVersion };
  const apiVersion = apiVersionOf(form.kind);
  const object = { apiVersion, kind: form.kind.kind, metadata };
  return { object, json: () => JSON.stringify(object) };
}
