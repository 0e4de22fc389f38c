import type { JsonObject } from '@flotilla/json';
import type { KubeObject } from '../api/meta.ts';
import type { MutationAttributes } from '../registry/mutation-attributes.ts';
import { decodeDocumentMembers } from '../registry/write/decode.ts';

/** A write during mutating admission. */
export class ObjectMutation {
  readonly write: MutationAttributes;
  /** The object after the changes so far. Mutators replace it and do not change it in place. */
  object: KubeObject;
  #isReinvocation = false;
  #isReinvocationNeeded = false;

  constructor(write: MutationAttributes) {
    this.write = write;
    this.object = write.object;
  }

  /**
   * True in the second round. As in Kubernetes, a second round follows if a mutator changed the object. It calls only
   * the policies and webhooks that request reinvocation.
   */
  get isReinvocation(): boolean {
    return this.#isReinvocation;
  }

  /** Requests the second round, because the object has changed. */
  requestReinvocation(): void {
    this.#isReinvocationNeeded = true;
  }

  /**
   * Changes the object in the given version, which is the version that a mutator uses. `change` gets the write and the
   * object in this version, and returns the changed object.
   */
  changeIn(version: string, change: (write: MutationAttributes, object: KubeObject) => KubeObject): void {
    const { resource } = this.write;
    const seen = version === resource.version ? undefined : resource.versions?.find(version);
    if (seen?.versions === undefined) {
      this.object = change(this.write, this.object);
      return;
    }
    const decode = (document: JsonObject) => decodeDocumentMembers(seen, document, { findings: [] });
    const changed = change({ ...this.write, resource: seen, decode }, seen.versions.convert(this.object, version));
    this.object = seen.versions.convert(changed, resource.version);
  }

  /** Starts the second round. Returns false if it is not needed. */
  startReinvocation(): boolean {
    this.#isReinvocation = this.#isReinvocationNeeded;
    return this.#isReinvocation;
  }
}
