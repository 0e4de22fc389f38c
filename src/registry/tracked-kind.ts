import type { TrackedKind, TrackedVersions } from '@flotilla/field-ownership';
import type { JsonObject } from '@flotilla/json';
import { apiVersionOf, type KubeObject, parseApiVersion } from '../api/meta.ts';
import type { ResourceKind } from '../api/resource.ts';
import { emptyObjectOf, toPrintedForm } from '../api/structs/printed-form.ts';
import type { KindVersions, StoredResource } from './resource.ts';

/** The properties of a kind that determine how the ownership of its fields is tracked. */
export type OwnedKind = ResourceKind &
  Pick<StoredResource, 'hasStatus' | 'statusWritesMetadata' | 'statusKeepsMetadata' | 'resetFields' | 'versions'>;

const trackedKinds = new WeakMap<OwnedKind, TrackedKind>();

/**
 * Returns the properties of a kind that the tracking of field ownership uses. They are computed once per kind, because
 * every write needs them.
 */
export function trackedKindOf(resource: OwnedKind): TrackedKind {
  let tracked = trackedKinds.get(resource);
  if (tracked === undefined) {
    tracked = makeTrackedKind(resource);
    trackedKinds.set(resource, tracked);
  }
  return tracked;
}

function makeTrackedKind(resource: OwnedKind): TrackedKind {
  const { group, version, kind, schema, hasStatus, statusWritesMetadata = false, statusKeepsMetadata } = resource;
  return {
    group,
    version,
    kind,
    schema,
    hasStatus,
    statusWritesMetadata,
    ...(statusKeepsMetadata === undefined ? {} : { statusKeepsMetadata }),
    ...(resource.resetFields === undefined ? {} : { resetFields: resource.resetFields }),
    confidential: resource.confidential === true,
    ...(resource.versions === undefined ? {} : { versions: trackedVersions(resource.versions, group) }),
    goForm:
      resource.builtIn === true
        ? {
            emptyObject: () => emptyObjectOf(apiVersionOf(resource), kind),
            print: (object) => toPrintedForm(object as KubeObject) as JsonObject,
          }
        : undefined,
  };
}

function trackedVersions({ find, convert }: KindVersions, group: string): TrackedVersions {
  return {
    find(apiVersion) {
      const parsed = parseApiVersion(apiVersion);
      const resource = parsed.group === group ? find(parsed.version) : undefined;
      return resource && trackedKindOf(resource);
    },
    convert: (object, apiVersion) => convert(object as KubeObject, parseApiVersion(apiVersion).version),
  };
}
