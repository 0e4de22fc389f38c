import { isJsonObject, type JsonValue } from '@flotilla/json';
import { byteLength } from '@flotilla/kubernetes-formats';
import { type FieldError, invalid, required } from '../../../../api/field-error.ts';
import { childPath } from '../../../../api/schema/field-path.ts';
import { isRequired, memberAt, numberOf, textOf } from '../checks.ts';
import type { Check } from '../object-rules.ts';

const wordCharacters = /[^A-Za-z0-9.-]/;
const namePrefix = /iqn\.\d{4}-\d{2}\.[A-Za-z0-9.-]/;
const extendedIdentifier = /^eui.[A-Za-z0-9]{16}$/s;
const networkAddress = /^naa.[A-Za-z0-9]{32}$/s;

/**
 * True for a qualified name with a colon: `iqn.2021-01.com.example:disk`. As in Kubernetes, any text may precede the
 * name. A single regular expression would need quadratic time.
 */
function isQualifiedName(text: string): boolean {
  const parts = (text.split(/[,;*&$|\s]/).at(-1) ?? '').split(':');
  const [last = '', ...before] = parts.reverse();
  // Each colon must have a character after it. This character may be another colon.
  const candidates = last === '' ? before.slice(1) : before;
  return candidates.some((part) => namePrefix.test(part.split(wordCharacters).at(-1) ?? ''));
}

function hasValidFormat(text: string): boolean {
  if (text.startsWith('iqn')) return isQualifiedName(text);
  return text.startsWith('eui') ? extendedIdentifier.test(text) : networkAddress.test(text);
}

/** Returns the errors of an iSCSI initiator or target name. `prefixFault` is reported for an unknown kind of name. */
function nameErrors(text: string, path: string, prefixFault: string): FieldError[] {
  if (!/^(iqn|eui|naa)/.test(text)) return [invalid(path, text, prefixFault)];
  return hasValidFormat(text) ? [] : [invalid(path, text, 'must be valid format')];
}

const tooLongName =
  'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';

/** True if the volume name and the portal together are too long for an initiator name. */
function isTooLong(source: JsonValue | undefined, volumeName: string): boolean {
  const portal = textOf(memberAt(source, ['targetPortal']));
  return memberAt(source, ['initiatorName']) !== undefined && byteLength(`${volumeName}:${portal}`) > 64;
}

/**
 * Checks that the volume name and the iSCSI portal together are not too long for an initiator name. Called even if the
 * pod uses another source of the volume.
 */
export function* podInitiatorErrors(volume: JsonValue | undefined, path: string): Generator<FieldError> {
  const name = textOf(memberAt(volume, ['name']));
  if (isTooLong(memberAt(volume, ['iscsi']), name)) yield invalid(childPath(path, 'name'), name, tooLongName);
}

function iscsiChecks(isPersistent: boolean): Check {
  const prefixFault = isPersistent ? 'must be valid format' : 'must be valid format starting with iqn, eui, or naa';
  return function* (value, position) {
    if (!isJsonObject(value)) return;
    const at = (name: string) => childPath(position.path, name);
    const { targetPortal, iqn, lun, secretRef, initiatorName } = value;
    yield* isRequired()(targetPortal ?? undefined, { ...position, path: at('targetPortal') });
    if (isPersistent && isTooLong(value, textOf(memberAt(position.root, ['metadata', 'name'])))) {
      yield invalid(at('targetportal'), textOf(targetPortal), tooLongName);
    }
    if (textOf(iqn) === '') yield required(at('iqn'));
    else yield* nameErrors(textOf(iqn), at('iqn'), prefixFault);
    if (numberOf(lun) < 0 || numberOf(lun) > 255) yield invalid(at('lun'), lun, 'must be between 0 and 255, inclusive');
    const needsSecret = value.chapAuthDiscovery === true || value.chapAuthSession === true;
    if (needsSecret && !isJsonObject(secretRef)) yield required(at('secretRef'));
    if (isPersistent && isJsonObject(secretRef) && textOf(secretRef.name) === '') yield required(at('secretRef.name'));
    if (typeof initiatorName === 'string') yield* nameErrors(initiatorName, at('initiatorname'), prefixFault);
  };
}

/** The check of an iSCSI disk in a pod. */
export const iscsi: Check = iscsiChecks(false);

/** The check of an iSCSI disk in a persistent volume. */
export const persistentIscsi: Check = iscsiChecks(true);
