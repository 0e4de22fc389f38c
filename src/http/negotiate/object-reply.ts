import type { JsonObject } from '@flotilla/json';
import { apiVersionOf } from '../../api/meta.ts';
import { groupResourceOf, listKindOf, type ResourceKind } from '../../api/resource.ts';
import { notAcceptable, qualifiedResource, type Status } from '../../api/status.ts';
import type { ServedList, ServedObject } from '../../registry/verbs.ts';
import type { Exchange } from '../exchange.ts';
import type { Reply } from '../reply.ts';
import { generateText, type JoinedText, wholeOrGenerated } from '../wire/generated-body.ts';
import { indentJson } from './indent-json.ts';
import { listMetaJson, listText, mapLazily } from './list-json.ts';
import { mediaTypes, type Negotiated } from './negotiate.ts';
import { partialMetadataJson, partialMetadataListText } from './partial-metadata.ts';
import { render } from './render.ts';
import { columnDefinitionsJson, type IncludeObject, rowJson, tableJson, tableText } from './table.ts';

/** The form of a response, negotiated before anything is executed (rule REQ-27: Accept is checked early). */
export interface ResponseForm extends Negotiated {
  readonly kind: ResourceKind;
  readonly include: IncludeObject;
  /** False for kinds that are never stored (reviews, tokens): they have no rows (rule NEG-17). */
  readonly hasTable: boolean;
  now(): number;
  /** Encodes built-in kinds for clients that accept only protobuf. */
  readonly encodeProtobuf?: ((object: JsonObject) => Uint8Array) | undefined;
}

/** Throws 406 for a transform that this response does not support (rules NEG-15, NEG-17). */
export function checkTransform(form: ResponseForm, shape: 'object' | 'list'): void {
  const wanted = form.transform?.kind;
  const resource = groupResourceOf(form.kind);
  if (wanted === 'Table' && !form.hasTable) {
    throw notAcceptable(`the resource ${qualifiedResource(resource)} does not support being converted to a Table`);
  }
  if (wanted === 'PartialObjectMetadata' && shape === 'list') {
    throw notAcceptable(
      `you requested PartialObjectMetadata, but the requested object is a list (${form.kind.kind}List)`,
    );
  }
  if (wanted === 'PartialObjectMetadataList' && shape === 'object') {
    throw notAcceptable(
      `you requested PartialObjectMetadataList, but the requested object is not a list (${form.kind.kind})`,
    );
  }
}

export function objectReply(served: ServedObject, status: number, form: ResponseForm): Reply {
  const { transform } = form;
  if (form.format === 'protobuf') return protobufReply(served.object, status, form);
  if (transform === undefined) return render(served.json(), status, form);
  if (transform.kind !== 'Table') return render(partialMetadataJson(served, transform.version), status, form);
  const options = { version: transform.version, include: form.include, now: form.now() };
  const metadata = listMetaJson({ items: [], resourceVersion: served.object.metadata.resourceVersion ?? '' });
  const row = rowJson(form.kind, served, options);
  return render(tableJson(metadata, columnDefinitionsJson(form.kind), [row], options), status, form);
}

/** The state of the request that a long list needs, because it is generated in many time slices. */
export type ListRequestState = Pick<Exchange, 'end' | 'nextTimeSlice'>;

export async function listReply(list: ServedList, form: ResponseForm, exchange: ListRequestState): Promise<Reply> {
  const { kind } = form;
  if (form.format === 'protobuf') {
    const { items, ...metadata } = list;
    const objects = items.map((item) => item.object);
    return protobufReply(
      { apiVersion: apiVersionOf(kind), kind: listKindOf(kind), metadata, items: objects },
      200,
      form,
    );
  }
  const text = textOf(list, form);
  if (form.format !== 'json' || (form.pretty && list.items.length === 0)) return render(joined(text), 200, form);
  const shown = form.pretty ? indented(text) : { ...text, tail: `${text.tail}\n` };
  const body = await wholeOrGenerated(generateText(shown), exchange.end, exchange.nextTimeSlice);
  return { status: 200, headers: { 'content-type': mediaTypes.json }, body };
}

function textOf(list: ServedList, form: ResponseForm): JoinedText {
  const { transform, kind } = form;
  if (transform === undefined) return listText(kind, list);
  if (transform.kind !== 'Table') return partialMetadataListText(list, transform.version);
  const options = { version: transform.version, include: form.include, now: form.now() };
  const rows = mapLazily(list.items, (item) => rowJson(kind, item, options));
  return tableText(listMetaJson(list), columnDefinitionsJson(kind), rows, options);
}

/** Indents a text item by item. The result equals `indentJson` of the whole text. There must be at least one item. */
function indented({ head, items, tail }: JoinedText): JoinedText {
  const around = indentJson(`${head}0${tail}`);
  const at = around.lastIndexOf(`${itemLine}0\n`);
  return {
    head: around.slice(0, at + itemLine.length),
    items: linesOf(items),
    separator: `,${itemLine}`,
    tail: around.slice(at + itemLine.length + 1),
  };
}

/** The indentation of items in the array of a list. Strings contain no unescaped line breaks. */
const itemLine = '\n    ';

function* linesOf(items: Iterable<string>): Generator<string> {
  for (const item of items) yield indentJson(item).replaceAll('\n', itemLine);
}

function joined({ head, items, tail }: JoinedText): string {
  return `${head}${[...items].join(',')}${tail}`;
}

/** Never a Table or a partial object (rule NEG-16). */
export function statusReply(status: Status, code: number, form: ResponseForm): Reply {
  if (form.format === 'protobuf') return protobufReply(status, code, form);
  return render(JSON.stringify(status), code, form);
}

function protobufReply(object: JsonObject, status: number, form: ResponseForm): Reply {
  const bytes = form.encodeProtobuf?.(object);
  if (bytes === undefined) throw new TypeError('protobuf was negotiated without a codec');
  return { status, headers: { 'content-type': mediaTypes.protobuf }, body: bytes };
}
