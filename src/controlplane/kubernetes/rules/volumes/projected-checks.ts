import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { byteLength, qualifiedNameFaults, subdomainFaults } from '@flotilla/kubernetes-formats';
import {
  type FieldError,
  forbiddenField,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../../../../api/field-error.ts';
import { childPath, indexPath } from '../../../../api/schema/field-path.ts';
import { labelSelectorErrors } from '../../../../api/selectors/selector-object.ts';
import { each, isRequired, listOf, numberOf, textOf } from '../checks.ts';
import { structChecks } from '../member-checks.ts';
import type { Check, FieldPosition } from '../object-rules.ts';
import { downwardFileErrors } from './downward-files.ts';
import { fileMode, filePath } from './path-checks.ts';
import { isKubernetesSigner, signerNameErrors } from './signer-name.ts';

const day = 24 * 60 * 60;
const maxAnnotationBytes = 256 * 1024;
const keyTypes = ['RSA3072', 'RSA4096', 'ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519'];

/** A key of a config map or secret, and the file with its value. */
export const keyToPath = structChecks({ key: [isRequired()], path: [isRequired(), filePath], mode: [fileMode] });

/** The sources of a projected volume. No path may occur twice in them, even in different sources. */
class ProjectedSources {
  /** The position of the volume, at which Kubernetes reports some of the errors. */
  readonly #volume: FieldPosition;
  readonly #paths = new Set<string>();

  constructor(volume: FieldPosition) {
    this.#volume = volume;
  }

  *errors(source: JsonObject, path: string): Generator<FieldError> {
    const kinds: Readonly<Record<string, (projection: JsonObject, position: FieldPosition) => Iterable<FieldError>>> = {
      secret: (projection, position) => this.#keyErrors(projection, position),
      configMap: (projection, position) => this.#keyErrors(projection, position),
      downwardAPI: (projection, position) => this.#downwardErrors(projection, position),
      serviceAccountToken: (projection, position) => this.#tokenErrors(projection, position),
      clusterTrustBundle: (projection, position) => this.#bundleErrors(projection, position),
      podCertificate: (projection, position) => this.#certificateErrors(projection, position),
    };
    let count = 0;
    for (const [kind, errorsOf] of Object.entries(kinds)) {
      const projection = source[kind];
      if (!isJsonObject(projection)) continue;
      count++;
      yield* errorsOf(projection, { ...this.#volume, path: childPath(path, kind), parent: source });
    }
    if (count > 1) yield forbiddenField(path, 'may not specify more than 1 volume type per source');
  }

  *#keyErrors(projection: JsonObject, position: FieldPosition): Generator<FieldError> {
    yield* structChecks({ name: [isRequired()] })(projection, position);
    for (const [index, item] of listOf(projection.items).entries()) {
      yield* keyToPath(item, { ...position, path: indexPath(childPath(position.path, 'items'), index) });
      const path = isJsonObject(item) ? textOf(item.path) : '';
      if (path !== '') yield* this.#conflict(path, textOf(projection.name));
    }
  }

  *#downwardErrors(projection: JsonObject, position: FieldPosition): Generator<FieldError> {
    for (const file of listOf(projection.items)) {
      if (!isJsonObject(file)) continue;
      yield* downwardFileErrors(file, position);
      if (textOf(file.path) !== '') yield* this.#conflict(textOf(file.path));
    }
  }

  *#tokenErrors(projection: JsonObject, { path }: FieldPosition): Generator<FieldError> {
    const seconds = projection.expirationSeconds;
    const at = childPath(path, 'expirationSeconds');
    if (numberOf(seconds) < 600) yield invalid(at, seconds, 'may not specify a duration less than 10 minutes');
    if (numberOf(seconds) > 2 ** 32) yield invalid(at, seconds, 'may not specify a duration larger than 2^32 seconds');
    const position = { ...this.#volume, path: childPath(this.#volume.path, 'path') };
    if (textOf(projection.path) === '') yield required(position.path);
    else yield* filePath(projection.path, position);
  }

  *#bundleErrors(projection: JsonObject, position: FieldPosition): Generator<FieldError> {
    const { name, signerName, labelSelector } = projection;
    const at = (member: string) => childPath(position.path, member);
    if (typeof name === 'string' && typeof signerName === 'string') {
      yield invalid(position.path, projection, 'only one of name and signerName may be used');
    } else if (typeof name === 'string') {
      if (name === '') yield required(at('name'), 'must be a valid object name');
      for (const fault of bundleNameFaults(name)) {
        yield invalid(at('name'), name, `not a valid clustertrustbundlename: ${fault}`);
      }
      if (isJsonObject(labelSelector)) {
        yield invalid(at('labelSelector'), labelSelector, 'labelSelector must be unset if name is specified');
      }
    } else if (typeof signerName === 'string') {
      if (signerName === '') yield required(at('signerName'), 'must be a valid signer name');
      yield* signerNameErrors(at('signerName'), signerName);
      yield* labelSelectorErrors(labelSelector ?? undefined, at('labelSelector'));
    } else yield required(position.path, 'either name or signerName must be specified');
    yield* structChecks({ path: [isRequired(), filePath] })(projection, position);
    yield* this.#conflict(textOf(projection.path));
  }

  *#certificateErrors(projection: JsonObject, position: FieldPosition): Generator<FieldError> {
    const signer = textOf(projection.signerName);
    yield* signerNameErrors(childPath(position.path, 'signerName'), signer);
    yield* annotationErrors(projection.userAnnotations, childPath(position.path, 'userAnnotations'));
    if (!keyTypes.includes(textOf(projection.keyType))) {
      yield notSupported(childPath(position.path, 'keyType'), textOf(projection.keyType), keyTypes);
    }
    const seconds = projection.maxExpirationSeconds ?? undefined;
    const at = childPath(position.path, 'maxExpirationSeconds');
    const most = isKubernetesSigner(signer) ? day : 91 * day;
    if (seconds !== undefined && numberOf(seconds) < 3600) {
      yield invalid(at, seconds, 'if provided, maxExpirationSeconds must be >= 3600');
    }
    if (seconds !== undefined && numberOf(seconds) > most) {
      yield invalid(at, seconds, `if provided, maxExpirationSeconds must be <= ${most}`);
    }
    const members = ['credentialBundlePath', 'keyPath', 'certificateChainPath'];
    const paths = members.filter((member) => textOf(projection[member]) !== '');
    for (const member of paths) {
      yield* filePath(projection[member], { ...position, path: childPath(position.path, member) });
      yield* this.#conflict(textOf(projection[member]));
    }
    if (paths.length === 0) {
      yield required(position.path, 'specify at least one of credentialBundlePath, keyPath, and certificateChainPath');
    }
  }

  /** Returns the error for a path that another file already has. `shown` is the value that the message contains. */
  *#conflict(path: string, shown = path): Generator<FieldError> {
    if (this.#paths.has(path)) yield invalid(this.#volume.path, shown, 'conflicting duplicate paths');
    this.#paths.add(path);
  }
}

/**
 * Returns the faults of the name of a trust bundle. If the bundle belongs to a signer, its name must start with the
 * signer's name.
 */
function bundleNameFaults(name: string): string[] {
  const end = name.lastIndexOf(':');
  if (end === 0) return ['ClusterTrustBundle without signer name must not have ":" in its name'];
  const signer = name.slice(0, Math.max(0, end)).replaceAll(':', '/');
  const prefix = signer === '' ? '' : `${signer.replaceAll('/', ':')}:`;
  if (name.startsWith(prefix)) return subdomainFaults(name.slice(prefix.length));
  return [`ClusterTrustBundle for signerName ${signer} must be named with prefix ${prefix}`];
}

function* annotationErrors(annotations: JsonValue | undefined, path: string): Generator<FieldError> {
  if (!isJsonObject(annotations)) return;
  let size = 0;
  for (const [name, value] of Object.entries(annotations)) {
    const key = name.toLowerCase();
    const faults = key === '' ? [] : qualifiedNameFaults(key);
    size += byteLength(name) + byteLength(textOf(value));
    if (key === '') yield required(path);
    for (const fault of faults) yield invalid(path, key, fault);
    if (key !== '' && faults.length === 0 && !key.includes('/')) {
      yield invalid(path, key, 'must be a domain-prefixed key (such as "acme.io/foo")');
    }
  }
  if (size > maxAnnotationBytes) yield tooLong(path, maxAnnotationBytes);
}

const sources: Check = function* (value, position) {
  const volume = new ProjectedSources({ ...position, path: position.path.replace(/\.sources$/, '') });
  yield* each((source, { path }) => (isJsonObject(source) ? volume.errors(source, path) : []))(value, position);
};

/** A volume that combines files from several sources. */
export const projected = structChecks({ defaultMode: [fileMode], sources: [sources] });
