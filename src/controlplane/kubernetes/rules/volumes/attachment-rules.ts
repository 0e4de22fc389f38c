import { equalJson, isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { byteLength, subdomainFaults } from '@flotilla/kubernetes-formats';
import { type FieldError, forbiddenField, invalid, required, tooLong } from '../../../../api/field-error.ts';
import type { KubeObject } from '../../../../api/meta.ts';
import { childPath } from '../../../../api/schema/field-path.ts';
import { memberAt, numberOf, objectAt, textOf } from '../checks.ts';
import { driverNameErrors } from '../csi-rules.ts';
import { invalidStruct } from '../field-rules.ts';
import { volumeSpecErrors } from './persistent-volume-rules.ts';

const maxMetadataBytes = 256 * 1024;
const maxMessageBytes = 1024;
const oneOfBoth = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';

function* sourceErrors(source: JsonObject, root: JsonObject): Generator<FieldError> {
  const path = 'spec.source';
  const { inlineVolumeSpec: inline, persistentVolumeName = null } = source;
  if (isJsonObject(inline) && persistentVolumeName !== null) yield forbiddenField(path, oneOfBoth);
  else if (isJsonObject(inline)) {
    yield* volumeSpecErrors(inline, { path: `${path}.inlineVolumeSpec`, root, isInline: true });
  } else if (persistentVolumeName === null) yield required(path, oneOfBoth);
  else if (persistentVolumeName === '') {
    yield required(`${path}.persistentVolumeName`, 'must specify non empty persistentVolumeName');
  }
}

function* volumeErrorErrors(error: JsonValue | undefined, path: string): Generator<FieldError> {
  if (!isJsonObject(error)) return;
  if (byteLength(textOf(error.message)) > maxMessageBytes) yield tooLong(childPath(path, 'message'), maxMetadataBytes);
  const code = error.errorCode ?? undefined;
  if (numberOf(code) < 0)
    yield invalid(childPath(path, 'errorCode'), code, 'must be between 0 and 2147483647, inclusive');
}

export function* attachmentErrors(object: KubeObject): Generator<FieldError> {
  const root = object as JsonObject;
  const spec = objectAt(root, 'spec');
  const status = objectAt(root, 'status');
  yield* driverNameErrors(textOf(spec.attacher), 'spec.attacher');
  yield* sourceErrors(objectAt(spec, 'source'), root);
  const nodeName = textOf(spec.nodeName);
  for (const fault of subdomainFaults(nodeName)) yield invalid('spec.nodeName', nodeName, fault);
  const metadata = Object.entries(objectAt(status, 'attachmentMetadata'));
  const size = metadata.reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(textOf(value)), 0);
  if (size > maxMetadataBytes) yield tooLong('status.attachmentMetadata', maxMetadataBytes);
  yield* volumeErrorErrors(status.attachError, 'status.attachError');
  yield* volumeErrorErrors(status.detachError, 'status.detachError');
  const volume = memberAt(spec, ['source', 'persistentVolumeName']);
  if (typeof volume !== 'string') return;
  for (const fault of subdomainFaults(volume)) yield invalid('spec.source.persistentVolumeName', volume, fault);
}

export function* attachmentUpdateErrors(object: KubeObject, old: KubeObject): Generator<FieldError> {
  yield* attachmentErrors(object);
  const [spec, before] = [object, old].map((one) => objectAt(one as JsonObject, 'spec'));
  if (spec === undefined || equalJson(spec, before ?? null)) return;
  yield invalidStruct('spec', internalSpec(spec), 'field is immutable');
}

/**
 * Returns the spec with the member names of Kubernetes' internal struct. Members inside an inline volume keep their
 * names.
 */
function internalSpec(spec: JsonObject): JsonObject {
  const { persistentVolumeName = null, inlineVolumeSpec = null } = objectAt(spec, 'source');
  return {
    Attacher: textOf(spec.attacher),
    Source: { PersistentVolumeName: persistentVolumeName, InlineVolumeSpec: inlineVolumeSpec },
    NodeName: textOf(spec.nodeName),
  };
}
